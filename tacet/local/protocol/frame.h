#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/names.h"
#include "tacet/mechanism/local/local_randomizer.h"
#include "tacet/mechanism/local/report.h"

/// A report on its way from a device to the server: 64 bytes of header, four bytes for each
/// coordinate, a CRC32C; all of it with the lowest byte first (docs/reference/local-protocol.md).
///
/// Everything but the report's random number and its coordinates is a function of the task and the
/// round, so that all reports of a round are clones of each other but for what the randomiser drew.
namespace tacet::local {

/// The first bytes of a model's SHA-256.
using ModelMark = std::array<std::uint8_t, 16>;

struct Frame {
  std::uint64_t round = 0;
  ModelMark model{};
  std::uint64_t report_id = 0;  ///< random
  mechanism::Report report;
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// What is the same in all frames of a task.
struct FrameLayout {
  std::uint64_t task = 0;  ///< the first 8 bytes of its digest
  std::uint8_t mechanism = 0;
  std::uint32_t dimension = 0;    ///< of the model
  std::uint32_t coordinates = 0;  ///< of a report: one more under lift
  std::uint32_t epsilon_micro = 0;
  std::uint16_t flags = 0;
  bool direction = false;  ///< a report of zeros says nothing

  [[nodiscard]] std::size_t bytes() const;
};

/// `task` is 64 hexadecimal digits. UsageError for an epsilon that no frame can carry.
[[nodiscard]] FrameLayout frame_layout(std::string_view task_digest,
                                       const mechanism::LocalRandomizer& randomizer);

/// What is wrong with a frame by itself, in the order in which it is looked for.
enum class FrameFault : std::uint8_t {
  none,
  wrong_length,
  wrong_magic,
  wrong_version,
  wrong_checksum,
  wrong_task,
  wrong_mechanism,
  wrong_type,
  wrong_dimension,
  wrong_epsilon,
  wrong_flags,
  zero_report
};

inline constexpr auto frame_fault_names = base::names<FrameFault>({
    {FrameFault::none, "none"},
    {FrameFault::wrong_length, "wrong_length"},
    {FrameFault::wrong_magic, "wrong_magic"},
    {FrameFault::wrong_version, "wrong_version"},
    {FrameFault::wrong_checksum, "wrong_checksum"},
    {FrameFault::wrong_task, "wrong_task"},
    {FrameFault::wrong_mechanism, "wrong_mechanism"},
    {FrameFault::wrong_type, "wrong_type"},
    {FrameFault::wrong_dimension, "wrong_dimension"},
    {FrameFault::wrong_epsilon, "wrong_epsilon"},
    {FrameFault::wrong_flags, "wrong_flags"},
    {FrameFault::zero_report, "zero_report"},
});

/// InternalError for a report of another number of coordinates.
[[nodiscard]] std::string frame_bytes(const Frame& frame, const FrameLayout& layout);

/// Reads what frame_bytes writes for this layout, and nothing else. `frame` is complete where the
/// answer is `none`.
[[nodiscard]] FrameFault read_frame(std::string_view bytes, const FrameLayout& layout,
                                    Frame& frame);

}  // namespace tacet::local
