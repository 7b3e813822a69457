#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/mechanism/local/local_randomizer.h"

namespace tacet::mechanism {

/// The message of a device: integers whose law is known exactly.
struct Report {
  std::vector<std::int32_t> coordinates;
  friend bool operator==(const Report&, const Report&) = default;
};

/// The unbiased estimate of the device's clipped gradient, of spec().dimension coordinates, in real
/// units. It is post-processing, and no report can cause harm: a direction is scaled to norm B
/// (under lift its last coordinate is then dropped), and other estimates are cut to
/// noise().max_norm. Returns whether it was cut, which happens to an honest report with a
/// probability below 1e-12. DataError for another number of coordinates, and for a direction of
/// zeros.
bool decode(const Report& report, const LocalRandomizer& randomizer, std::span<double> estimate);

/// The report on the wire: "TLRP", version, mechanism, embedding, dimension, the coordinates with
/// four bytes each, least significant first, and the first 8 bytes of the SHA-256 of all that.
/// Every byte before the coordinates is the same for all devices with one spec.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const Report& report,
                                                 const LocalRandomizer& randomizer);

/// The inverse. DataError, which says what is wrong and at which byte, for anything that to_bytes
/// does not write for this spec, and for what decode refuses.
[[nodiscard]] Report report_from_bytes(std::span<const std::uint8_t> bytes,
                                       const LocalRandomizer& randomizer);

}  // namespace tacet::mechanism
