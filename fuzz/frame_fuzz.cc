// A frame that is accepted is written again to the same bytes, and nothing else is read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tacet/local/protocol/frame.h"

namespace frame_fuzz {

using namespace tacet::local;

namespace {

const FrameLayout& layout() {
  static const FrameLayout one = frame_layout(
      std::string(64, '5'), tacet::mechanism::LocalRandomizer::calibrate({.dimension = 3}));
  return one;
}

void check(std::string_view bytes) {
  Frame frame;
  if (read_frame(bytes, layout(), frame) != FrameFault::none) return;
  if (frame_bytes(frame, layout()) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  // As what a frame says: its header, checksum and length are right.
  Frame frame;
  frame.report.coordinates.resize(layout().coordinates, 1);
  for (std::size_t i = 0; i < bytes.size() && i < frame.report.coordinates.size(); ++i) {
    frame.report.coordinates[i] = static_cast<signed char>(bytes[i]);
  }
  const auto written = frame_bytes(frame, layout());
  check(written);
  // One byte of it changed.
  if (size >= 2) {
    auto other = written;
    other[data[0] % other.size()] = static_cast<char>(data[1]);
    check(other);
  }
  return 0;
}

}  // namespace frame_fuzz
