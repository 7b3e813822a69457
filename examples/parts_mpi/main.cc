// Trains on records that lie in files on several machines, over MPI and without Python:
//
//   mpirun -n 4 parts_mpi --schema s.toml --epsilon 1 --output model.json part-*.csv
//
// Rank 0 is the root: it asks, adds up, draws the noise and writes the model that one process would
// write with one file of all records, byte for byte. The other ranks read the files and answer with
// exact sums; file k is part k, and lies with rank 1 + k % (ranks - 1). An engine is one function:
// it carries the bytes of a request to all parts and brings the answer of each (`ask` below).
// Answers cross the network of MPI as they are: they are true sums of records, as private as the
// records. Where others can read that network, seal them (tacet/optimize/parts/seal.h).

#include <mpi.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/base/sha256.h"
#include "tacet/base/threads.h"
#include "tacet/choose/plan.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/parts/part.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tacet/run/train.h"

namespace {

using namespace tacet;

struct Options {
  std::string schema;
  std::string output;
  std::optional<std::uint64_t> seed;  // for tests: the model then protects nobody
  choose::Request request{choose::usual_for_method};
  std::vector<std::string> files;
};

Options read_options(int count, char** words) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (!word.starts_with("--")) {
      options.files.push_back(word);
      continue;
    }
    if (++k == count) throw base::UsageError("{} has no value", word);
    const std::string value = words[k];
    if (word == "--schema") {
      options.schema = value;
    } else if (word == "--output") {
      options.output = value;
    } else if (word == "--seed") {
      std::from_chars(value.data(), value.data() + value.size(), options.seed.emplace());
    } else {
      options.request.set(word.substr(2), value);
    }
  }
  return options;
}

int rank_of_part(std::size_t part, int ranks) { return 1 + static_cast<int>(part) % (ranks - 1); }

void broadcast(std::string& text) {
  auto size = static_cast<std::uint64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
}

std::string sha256_of(const std::string& file) {
  base::Sha256 sum;
  sum.add(base::read_file(file, base::limits::schema_bytes));
  return sum.digest();
}

// The empty request ends the other ranks, whatever becomes of this one.
struct EndOfParts {
  EndOfParts() = default;
  EndOfParts(const EndOfParts&) = delete;
  EndOfParts& operator=(const EndOfParts&) = delete;
  ~EndOfParts() {
    std::string none;
    broadcast(none);
  }
};

std::string received(int rank) {
  MPI_Status status;
  MPI_Probe(rank, 0, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string answer(static_cast<std::size_t>(size), '\0');
  MPI_Recv(answer.data(), size, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &status);
  return answer;
}

// Records that are read twice count twice, which no guarantee knows of.
void expect_each_once(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> seen;
  for (const auto& file : files) {
    if (!seen.insert(std::filesystem::weakly_canonical(file)).second) {
      throw base::UsageError("the file {} is named twice; each part has a file of its own", file);
    }
  }
}

void be_root(const Options& options, int ranks) {
  const EndOfParts end;
  if (ranks < 2) throw base::UsageError("rank 0 reads nothing; start at least 2 ranks");
  expect_each_once(options.files);
  const auto schema = data::load_schema(options.schema);
  const auto plan =
      choose::plan_over_parts(options.request, schema, {.parts = std::ssize(options.files)});
  optimize::RemoteParts parts({.parts = std::ssize(options.files),
                               .reading = plan.reading_schema(),
                               .ask = [&](const std::string& request) {
                                 std::string bytes = request;
                                 broadcast(bytes);
                                 std::vector<std::string> answers;
                                 for (std::size_t k = 0; k < options.files.size(); ++k) {
                                   answers.push_back(received(rank_of_part(k, ranks)));
                                 }
                                 return answers;
                               }});
  std::optional<random::SeededSource> seeded;
  if (options.seed) seeded.emplace(*options.seed);
  const auto model = run::train_over_parts(
      plan, parts,
      {.source = seeded ? &*seeded : nullptr,
       .notes = {.data_set = schema.name, .schema_sha256 = sha256_of(options.schema)}});
  model::save_model(options.output, model, base::Overwrite::refuse);
}

struct Tools {
  base::ThreadPool threads{1};
  optimize::CurveMaps maps;
};

std::string answer_of(std::unique_ptr<optimize::Part>& part, const std::string& file,
                      std::int64_t number, const std::string& request, Tools& own) {
  try {
    if (!part) {
      const auto asked = optimize::SumRequest::from_bytes(request);
      const auto schema = optimize::settings_from_text(asked.settings).reading;
      part = std::make_unique<optimize::Part>(
          optimize::PartPlace{number, "one run"},
          optimize::PartRecords{data::read_dataset(file, schema)}, schema, own.threads, own.maps);
    }
    return part->answer(request);
  } catch (const std::exception& error) {
    std::cerr << file << ": " << error.what() << '\n';  // here, where the records may be seen
    return optimize::failed_answer(number, request, "an error of its file");
  }
}

void be_part(const Options& options, int rank, int ranks) {
  Tools own;
  std::vector<std::unique_ptr<optimize::Part>> parts(options.files.size());
  std::string request;
  while (true) {
    broadcast(request);
    if (request.empty()) return;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (rank_of_part(k, ranks) != rank) continue;
      const auto answer =
          answer_of(parts[k], options.files[k], static_cast<std::int64_t>(k), request, own);
      MPI_Send(answer.data(), static_cast<int>(answer.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = 0;
  try {
    const auto options = read_options(count, words);
    rank == 0 ? be_root(options, ranks) : be_part(options, rank, ranks);
  } catch (const base::Error& error) {
    std::cerr << "parts_mpi: " << error.what() << '\n';
    code = 1;
  }
  MPI_Finalize();
  return code;
}
