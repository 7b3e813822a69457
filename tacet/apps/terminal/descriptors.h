#pragma once

namespace tacet::apps {

/// Occupies descriptors 0 to 2 where the caller closed them, so that no file that is opened later
/// gets one: it would receive what is meant for the terminal. What stands in for them can be
/// neither read from nor written to, so that a result without a place to go is an error still.
/// False when the system has nothing to stand in.
[[nodiscard]] bool occupy_standard_descriptors();

}  // namespace tacet::apps
