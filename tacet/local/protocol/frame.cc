#include "tacet/local/protocol/frame.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::local {
namespace {

constexpr std::uint32_t frame_magic = 0x50444c54;  // "TLDP"
constexpr std::uint16_t frame_version = 1;
constexpr std::uint8_t int32_payload = 0;
constexpr std::uint16_t lift_flag = 1;
constexpr std::size_t frame_header = 64;
constexpr std::size_t frame_checksum = 4;

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

std::uint32_t crc32c(std::string_view bytes) {
  Crc32c sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

class FrameWriter {
 public:
  template <typename Number>
  void put(Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
    }
  }
  std::string bytes_;
};

class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : rest_(bytes) {}
  template <typename Number>
  [[nodiscard]] Number take() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(sizeof(Number));
    return static_cast<Number>(value);
  }

 private:
  std::string_view rest_;
};

/// The parts of the header that a layout determines, in the order in which they are looked at.
FrameFault header_fault(FrameReader reader, const FrameLayout& layout, Frame& frame) {
  if (reader.take<std::uint32_t>() != frame_magic) return FrameFault::wrong_magic;
  if (reader.take<std::uint16_t>() != frame_version) return FrameFault::wrong_version;
  const auto mechanism = reader.take<std::uint8_t>();
  const auto type = reader.take<std::uint8_t>();
  const auto task = reader.take<std::uint64_t>();
  frame.round = reader.take<std::uint64_t>();
  for (auto& byte : frame.model) byte = reader.take<std::uint8_t>();
  frame.report_id = reader.take<std::uint64_t>();
  const auto dimension = reader.take<std::uint32_t>();
  const auto payload = reader.take<std::uint32_t>();
  const auto epsilon = reader.take<std::uint32_t>();
  const auto flags = reader.take<std::uint16_t>();
  const auto reserved = reader.take<std::uint16_t>();
  if (payload != std::uint64_t{layout.coordinates} * 4) return FrameFault::wrong_length;
  if (task != layout.task) return FrameFault::wrong_task;
  if (mechanism != layout.mechanism) return FrameFault::wrong_mechanism;
  if (type != int32_payload) return FrameFault::wrong_type;
  if (dimension != layout.dimension) return FrameFault::wrong_dimension;
  if (epsilon != layout.epsilon_micro) return FrameFault::wrong_epsilon;
  if (flags != layout.flags || reserved != 0) return FrameFault::wrong_flags;
  return FrameFault::none;
}

}  // namespace

std::size_t FrameLayout::bytes() const {
  return frame_header + std::size_t{coordinates} * 4 + frame_checksum;
}

FrameLayout frame_layout(std::string_view task_digest,
                         const mechanism::LocalRandomizer& randomizer) {
  const auto& spec = randomizer.spec();
  const double micro = std::ceil(spec.epsilon * 1e6);
  if (!(micro <= std::numeric_limits<std::uint32_t>::max())) {
    throw base::UsageError("epsilon must be at most 4294 for reports over the network, got {}",
                           spec.epsilon);
  }
  FrameLayout layout{
      .mechanism = static_cast<std::uint8_t>(spec.mechanism),
      .dimension = static_cast<std::uint32_t>(spec.dimension),
      .coordinates = static_cast<std::uint32_t>(randomizer.report_coordinates()),
      .epsilon_micro = static_cast<std::uint32_t>(micro),
      .flags = randomizer.report_coordinates() > spec.dimension ? lift_flag : std::uint16_t{0},
      .direction = mechanism::reports_direction(spec.mechanism)};
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint64_t byte = 0;
    const char* digits = task_digest.data() + 2 * i;
    std::from_chars(digits, digits + 2, byte, 16);
    layout.task |= byte << (8 * i);
  }
  return layout;
}

std::string frame_bytes(const Frame& frame, const FrameLayout& layout) {
  if (frame.report.coordinates.size() != layout.coordinates) {
    throw base::InternalError("a frame for a report of another size");
  }
  FrameWriter out;
  out.bytes_.reserve(layout.bytes());
  out.put(frame_magic);
  out.put(frame_version);
  out.put(layout.mechanism);
  out.put(int32_payload);
  out.put(layout.task);
  out.put(frame.round);
  for (const auto byte : frame.model) out.put(byte);
  out.put(frame.report_id);
  out.put(layout.dimension);
  out.put(layout.coordinates * 4);
  out.put(layout.epsilon_micro);
  out.put(layout.flags);
  out.put(std::uint16_t{0});
  for (const auto x : frame.report.coordinates) out.put(static_cast<std::uint32_t>(x));
  out.put(crc32c(out.bytes_));
  return std::move(out.bytes_);
}

FrameFault read_frame(std::string_view bytes, const FrameLayout& layout, Frame& frame) {
  if (bytes.size() != layout.bytes()) return FrameFault::wrong_length;
  const auto fault = header_fault(FrameReader(bytes), layout, frame);
  if (fault == FrameFault::wrong_magic || fault == FrameFault::wrong_version ||
      fault == FrameFault::wrong_length) {
    return fault;
  }
  const auto content = bytes.substr(0, bytes.size() - frame_checksum);
  if (FrameReader(bytes.substr(content.size())).take<std::uint32_t>() != crc32c(content)) {
    return FrameFault::wrong_checksum;
  }
  if (fault != FrameFault::none) return fault;
  frame.report.coordinates.resize(layout.coordinates);
  FrameReader payload(content.substr(frame_header));
  bool zero = true;
  for (auto& x : frame.report.coordinates) {
    x = static_cast<std::int32_t>(payload.take<std::uint32_t>());
    zero = zero && x == 0;
  }
  return zero && layout.direction ? FrameFault::zero_report : FrameFault::none;
}

}  // namespace tacet::local
