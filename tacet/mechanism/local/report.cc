#include "tacet/mechanism/local/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"

namespace tacet::mechanism {
namespace {

constexpr std::array<std::uint8_t, 4> magic{'T', 'L', 'R', 'P'};
constexpr std::uint16_t version = 1;
constexpr std::size_t head_size = 12;  // magic, version, mechanism, embedding, dimension
constexpr std::size_t sum_size = 8;
static_assert(report_frame_bytes == head_size + sum_size);

template <typename Number>
void append(std::vector<std::uint8_t>& bytes, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

/// The bytes that are the same in every report of a spec.
std::vector<std::uint8_t> head(const LocalRandomizer& randomizer) {
  const LocalSpec& spec = randomizer.spec();
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append(bytes, version);
  append(bytes, static_cast<std::uint8_t>(spec.mechanism));
  append(bytes, reports_direction(spec.mechanism) ? static_cast<std::uint8_t>(spec.embedding)
                                                  : std::uint8_t{0});
  append(bytes, static_cast<std::uint32_t>(spec.dimension));
  return bytes;
}

std::array<std::uint8_t, sum_size> checksum(std::span<const std::uint8_t> bytes) {
  base::Sha256 sum;
  sum.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::string digits = sum.digest();
  std::array<std::uint8_t, sum_size> result{};
  for (std::size_t i = 0; i < sum_size; ++i) {
    std::from_chars(&digits[2 * i], &digits[2 * i] + 2, result[i], 16);
  }
  return result;
}

double squared_length(std::span<const std::int32_t> coordinates) {
  double square = 0;
  for (const std::int32_t x : coordinates) square += static_cast<double>(x) * x;
  return square;
}

void check_report(const Report& report, const LocalRandomizer& randomizer) {
  if (std::ssize(report.coordinates) != randomizer.report_coordinates()) {
    throw base::DataError("a report of {} coordinates came where {} are due",
                          report.coordinates.size(), randomizer.report_coordinates());
  }
  const bool zero = std::ranges::all_of(report.coordinates, [](std::int32_t x) { return x == 0; });
  if (zero && reports_direction(randomizer.spec().mechanism)) {
    throw base::DataError("a report of zeros is no direction");
  }
}

}  // namespace

bool decode(const Report& report, const LocalRandomizer& randomizer, std::span<double> estimate) {
  check_report(report, randomizer);
  const NoiseModel& noise = randomizer.noise();
  const double length = std::sqrt(squared_length(report.coordinates));
  double factor = 0;
  bool cut = false;
  if (noise.norm.has_value()) {
    factor = *noise.norm / length;
  } else {
    const double unit = randomizer.cap().has_value()
                            ? noise.amplitude / randomizer.cap()->scale
                            : std::ldexp(noise.clipping_norm, -randomizer.norm_bits());
    cut = length * unit > noise.max_norm;
    factor = cut ? noise.max_norm / length : unit;
  }
  for (std::size_t j = 0; j < estimate.size(); ++j) estimate[j] = factor * report.coordinates[j];
  return cut;
}

std::vector<std::uint8_t> to_bytes(const Report& report, const LocalRandomizer& randomizer) {
  std::vector<std::uint8_t> bytes = head(randomizer);
  for (const std::int32_t x : report.coordinates) append(bytes, static_cast<std::uint32_t>(x));
  const auto sum = checksum(bytes);
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

Report report_from_bytes(std::span<const std::uint8_t> bytes, const LocalRandomizer& randomizer) {
  const auto expected = static_cast<std::size_t>(randomizer.report_bytes());
  if (bytes.size() != expected) {
    throw base::DataError("a report of {} bytes came where {} are due", bytes.size(), expected);
  }
  const auto due = head(randomizer);
  const auto wrong = std::ranges::mismatch(due, bytes);
  if (wrong.in1 != due.end()) {
    const auto place = wrong.in1 - due.begin();
    throw base::DataError("byte {} of a report is {} instead of {}: {}", place, *wrong.in2,
                          *wrong.in1,
                          place < 4   ? "not a report"
                          : place < 6 ? "of another version"
                                      : "made for another task");
  }
  const auto sum = checksum(bytes.first(expected - sum_size));
  if (!std::ranges::equal(sum, bytes.last(sum_size))) {
    throw base::DataError("a report was damaged on its way: its checksum is another one");
  }
  Report report;
  report.coordinates.reserve(static_cast<std::size_t>(randomizer.report_coordinates()));
  for (std::size_t at = head_size; at < expected - sum_size; at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | bytes[at + i];
    report.coordinates.push_back(static_cast<std::int32_t>(value));
  }
  check_report(report, randomizer);
  return report;
}

}  // namespace tacet::mechanism
