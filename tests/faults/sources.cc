// Faults of inputs that come only once, and of the spool.

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/spool.h"
#include "tacet/data/read/arrow_records.h"
#include "tacet/data/read/pipes.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/rewritten.h"
#include "tacet/run/records.h"
#include "tacet/run/train.h"
#include "tests/faults/fault_tests.h"
#include "tests/support/arrow_stream.h"
#include "tests/support/denied_calls.h"
#include "tests/support/temporary_folder.h"

namespace tacet::faults {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

data::Schema schema_of_x() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"1"}, {"0"}}};
  schema.public_row_count = 3;
  return schema;
}

Finding mark_counted_as_record() {
  const test::TemporaryFile file("x\n1\n0\nEND\n");
  data::expect_end_mark(file.path(), "END");
  const auto records =
      data::read_dataset(file.path(), schema_of_x(), {.target = data::TargetUse::absent});
  return certain(records.rows() != 2, 1);
}

/// 1 and 1.0 are one unit.
Finding unit_spelled_twice() {
  const test::TemporaryFile file("u,x,y\n1,0,1\n1.0,1,0\n2,1,1\n");
  auto schema = schema_of_x();
  schema.unit = "u";
  const auto records = data::read_dataset(file.path(), schema, {.units = data::UnitUse::index});
  return certain(records.unit_count() != 2, 1);
}

/// A ledger has to know the records of a pipe again as those of the file.
Finding pipe_without_fingerprint() {
  const std::string text = "x,y\n1,1\n0,0\n1,0\n";
  const test::TemporaryFolder folder;
  const auto file = folder.write("t.csv", text);
  const auto pipe = folder.path() / "pipe";
  if (::mkfifo(pipe.c_str(), 0600) != 0) throw base::IoError("no named pipe for the test");
  ledger::Ledger::create(folder.path() / "l.db");
  ledger::Ledger ledger(folder.path() / "l.db");
  std::thread writer([&] { std::ofstream(pipe) << text; });
  run::SeenRecords seen(ledger, pipe.string(), nullptr);
  const auto records = data::read_dataset(
      pipe, schema_of_x(), {.passes = data::Passes::once, .observers = {&seen.observer()}});
  writer.join();
  return certain(seen.fingerprints() != run::fingerprints_of(ledger, file.string()),
                 records.rows());
}

/// Three batches of one record; the sender fails where the third is due.
Finding truncated_stream_trains() {
  const auto column = [](const char* name, const std::string& value) {
    return test::ArrayByHand{.format = "c", .name = name, .buffers = {"", value}, .length = 1};
  };
  std::vector<test::ArrayByHand> batches;
  for (const auto* value : {"\1", "\0", "\1"}) {
    const std::string one(value, 1);
    batches.push_back({.format = "+s",
                       .name = "",
                       .buffers = {""},
                       .length = 1,
                       .children = {column("x", one), column("y", one)}});
  }
  test::ArrowStreamByHand stream(std::move(batches));
  stream.failing_batch = 2;
  const auto schema = schema_of_x();
  data::ArrowRecords records(stream.stream, schema, data::TargetUse::required);
  const run::TypedRecords rows{records.names(),
                               [&](std::span<data::Value> values) { return records.next(values); }};
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", 1).set("delta", 1e-5).set("steps", 2);
  random::SeededSource source(6);
  try {
    static_cast<void>(run::train(schema, rows, request, {.source = &source, .threads = 1}));
  } catch (const base::DataError&) {
    return certain(false, 1);
  }
  return certain(true, 1);
}

/// What a child says that ends by itself; a signal ends it as surely as a wrong answer.
Finding unless(const std::function<bool()>& good) {
  const auto child = ::fork();
  if (child < 0) throw base::IoError("no process for the test");
  if (child == 0) {
    try {
      ::_exit(good() ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return certain(!WIFEXITED(status) || WEXITSTATUS(status) != 0, 1);
}

bool limit(int resource, std::size_t bytes) {
  const rlimit both{bytes, bytes};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

std::int16_t value_of(std::int64_t row) { return static_cast<std::int16_t>(1 + row % 1000); }

constexpr data::DatasetShape one_column{.columns = 1, .norm_bound = 1};

/// Records that are written anew: a part of the spool is freed as soon as it was read, not before.
Finding block_read_after_its_hole() {
  const test::TemporaryFolder folder;
  return unless([&] {
    data::Dataset old(one_column, base::Spool::in(folder.path()));
    constexpr std::int64_t rows = std::int64_t{3} << 20;
    for (std::int64_t k = 0; k < rows; ++k) {
      old.append_dense(std::vector<std::int16_t>{value_of(k)}, 1);
    }
    const auto made = data::rewritten(std::move(old), one_column,
                                      [](const data::Dataset& from, std::int64_t row, auto& out) {
                                        out.columns = {0};
                                        out.values = {from.dense_row(row)[0]};
                                      });
    for (std::int64_t k = 0; k < rows; ++k) {
      if (made.dense_row(k)[0] != value_of(k)) return false;
    }
    return made.rows() == rows;
  });
}

/// A disk that is full says so before a byte is written: later it would be a signal.
Finding block_mapped_before_allocated() {
  const test::TemporaryFolder folder;
  return unless([&] {
    const auto spool = base::Spool::in(folder.path());
    if (!test::deny_call(SYS_fallocate, ENOSPC)) return false;
    try {
      const base::SpooledVector<char> block(mebi, 'x', spool);
    } catch (const base::IoError& error) {
      return std::string(error.what()).find(folder.path()) != std::string::npos;
    }
    return false;
  });
}

Finding named_spool_file() {
  const test::TemporaryFolder folder;
  const auto spool = base::Spool::in(folder.path());
  const base::SpooledVector<char> block(mebi, 'x', spool);
  return certain(!std::filesystem::is_empty(folder.path()), 1);
}

/// Writable private memory of this process, in bytes, as RLIMIT_DATA counts it.
std::size_t private_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmData:") {
  }
  std::size_t kilobytes = 0;
  status >> kilobytes;
  return kilobytes << 10;
}

/// 8 bytes a record are 16 MB, of which private memory has room for 5.
Finding labels_in_private_memory() {
  const test::TemporaryFolder folder;
  return unless([&] {
    data::Dataset records(one_column, base::Spool::in(folder.path()));
    const std::vector<std::int16_t> row{1};
    if (!limit(RLIMIT_DATA, private_memory() + 5 * mebi)) return false;
    for (int k = 0; k < 2'000'000; ++k) records.append_dense(row, 1);
    return true;
  });
}

constexpr FaultTest tests[] = {{"mark_counted_as_record", mark_counted_as_record},
                               {"unit_spelled_twice", unit_spelled_twice},
                               {"pipe_without_fingerprint", pipe_without_fingerprint},
                               {"truncated_stream_trains", truncated_stream_trains},
                               {"block_read_after_its_hole", block_read_after_its_hole},
                               {"block_mapped_before_allocated", block_mapped_before_allocated},
                               {"named_spool_file", named_spool_file},
                               {"labels_in_private_memory", labels_in_private_memory}};

}  // namespace

std::span<const FaultTest> source_tests() { return tests; }

}  // namespace tacet::faults
