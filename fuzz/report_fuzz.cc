// A report that is accepted must survive writing and reading, and weigh no more than it may; so
// must the estimate of any integers whatsoever.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/local/report.h"

namespace report_fuzz {

namespace {

using namespace tacet::mechanism;

void check(bool condition) {
  if (!condition) std::abort();
}

/// One of each kind: directions with and without lift, one coordinate, a plane, additive noise.
const std::vector<LocalRandomizer>& randomizers() {
  static const std::vector<LocalRandomizer> list{
      LocalRandomizer::calibrate({.dimension = 3, .embedding = Embedding::sign}),
      LocalRandomizer::calibrate({.dimension = 3, .embedding = Embedding::lift}),
      LocalRandomizer::calibrate({.dimension = 1, .embedding = Embedding::sign}),
      LocalRandomizer::calibrate({.mechanism = LocalMechanism::privunitg, .dimension = 4}),
      LocalRandomizer::calibrate({.mechanism = LocalMechanism::l2_laplace, .dimension = 4}),
      LocalRandomizer::calibrate(
          {.mechanism = LocalMechanism::gaussian, .delta = 1e-6, .dimension = 2})};
  return list;
}

void check_estimate(const Report& report, const LocalRandomizer& randomizer) {
  std::vector<double> estimate(static_cast<std::size_t>(randomizer.spec().dimension));
  decode(report, randomizer, estimate);
  double square = 0;
  for (const double x : estimate) square += x * x;
  check(std::sqrt(square) <= randomizer.noise().max_norm * (1 + 1e-9));
  check(report_from_bytes(to_bytes(report, randomizer), randomizer) == report);
}

/// The bytes as coordinates: no checksum is in the way.
void read_integers(std::span<const std::uint8_t> bytes, const LocalRandomizer& randomizer) {
  Report report;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[at + i];
    report.coordinates.push_back(static_cast<std::int32_t>(value));
  }
  report.coordinates.resize(static_cast<std::size_t>(randomizer.report_coordinates()));
  try {
    check_estimate(report, randomizer);
  } catch (const tacet::base::DataError&) {
    return;  // zeros
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  for (const auto& randomizer : randomizers()) {
    read_integers(bytes, randomizer);
    try {
      const Report report = report_from_bytes(bytes, randomizer);
      const auto written = to_bytes(report, randomizer);
      check(std::vector<std::uint8_t>(bytes.begin(), bytes.end()) == written);
      check_estimate(report, randomizer);
    } catch (const tacet::base::DataError&) {
      continue;
    }
  }
  return 0;
}

}  // namespace report_fuzz
