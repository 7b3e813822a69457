// The test vectors of docs/reference/local-vectors.json: from a record to each byte of a frame, for
// those who write a device. Where a change of the program changes them on purpose, the test writes
// the new file to TACET_VECTORS if that is set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/data/read/read_dataset.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/protocol/task.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"
#include "tests/support/data_sets.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/spender.h"

namespace tacet::local {
namespace vectors_test {

using nlohmann::ordered_json;

constexpr std::uint64_t key = 7;
constexpr std::uint64_t report_number = 0x0123456789abcdef;
constexpr std::uint64_t slot_round = 3;
constexpr const char* record = "age,town,bought\n43,Basel,yes\n";

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::vector<std::int64_t> integers_of(const data::Dataset& records) {
  std::vector<std::int64_t> row(static_cast<std::size_t>(records.columns()));
  if (!records.sparse()) {
    const auto dense = records.dense_row(0);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = dense[j];
    return row;
  }
  const auto sparse = records.sparse_row(0);
  for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
    row[sparse.columns[k]] = sparse.values[k];
  }
  return row;
}

ordered_json vector_of(const std::string& mechanism) {
  learn::OptionValues more{{"mechanism", mechanism}};
  if (mechanism == "gaussian") more["delta"] = "1e-06";
  const auto task = test::small_task({.contact = "nobody"}, more);
  const test::ScratchFolder folder;
  const auto file = folder.path() / "record.csv";
  std::ofstream(file) << record;
  const auto records = data::read_dataset(file, task.schema);
  std::vector<double> point(static_cast<std::size_t>(task.plan.columns));
  for (std::size_t j = 0; j < point.size(); ++j) point[j] = 0.5 - 0.25 * static_cast<double>(j);
  const auto model = model_bytes(point);
  const optimize::RecordGradient gradients(records, task.plan.loss,
                                           {.clipping_norm = task.randomizer().spec().clipping_norm,
                                            .norm_bits = task.randomizer().norm_bits(),
                                            .class_weights = task.plan.class_weights});
  auto opened = gradients.at(point, 0).take(mechanism::AccessKeys::key());
  const auto gradient = std::move(opened).take(mechanism::AccessKeys::key());
  test::Spender spender(key, task.randomizer().event(), privacy::Adjacency::replace_one, 1);
  const auto report =
      mechanism::release_report(gradients.at(point, 0), task.randomizer(), spender.next(),
                                spender.source, spender.reservation);
  const auto digest = ledger::sha256(model);
  const auto frame = frame_bytes({.round = slot_round,
                                  .model = model_mark(digest),
                                  .report_id = report_number,
                                  .report = report.value()},
                                 task.layout);
  return {{"mechanism", mechanism},
          {"task", task.text},
          {"task_digest", task.digest},
          {"round", slot_round},
          {"model", hex(model)},
          {"model_digest", digest},
          {"row", integers_of(records)},
          {"gradient", gradient},
          {"key", key},
          {"report_number", fmt::format("{:016x}", report_number)},
          {"coordinates", report.value().coordinates},
          {"frame", hex(frame)}};
}

TEST(VectorsTest, ThoseOfThePageAreWhatThisProgramMakes) {
  ordered_json all{{"record", record}, {"vectors", ordered_json::array()}};
  for (const char* mechanism :
       {"privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace", "gaussian"}) {
    all["vectors"].push_back(vector_of(mechanism));
  }
  const auto text = all.dump(1) + "\n";
  if (const char* wanted = std::getenv("TACET_VECTORS")) std::ofstream(wanted) << text;
  std::ifstream file(test::source_file("docs/reference/local-vectors.json"));
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), text);
}

}  // namespace vectors_test
}  // namespace tacet::local
