#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/local/protocol/frame.h"
#include "tacet/local/protocol/reason.h"

/// The texts that go over the network beside frames and models (docs/reference/local-protocol.md).
namespace tacet::local {

/// A place in a round, kept for a device for some time.
struct Slot {
  std::string task;  ///< its digest, so that a device sees that both mean the same
  std::uint64_t round = 0;
  std::string model;         ///< digest of the point to compute at
  std::int64_t seconds = 0;  ///< how long it is kept
  friend bool operator==(const Slot&, const Slot&) = default;
};
[[nodiscard]] std::string slot_json(const Slot& slot);
/// DataError for anything that slot_json does not write.
[[nodiscard]] Slot slot_from_json(std::string_view text);

/// What a report that counts is answered with, in status 200.
[[nodiscard]] std::string counted_json();
/// Whether a text says that. A page that something on the way answers with does not.
[[nodiscard]] bool says_counted(std::string_view text);

/// {"error": CODE, "message": SENTENCE}, where nothing of the request stands.
[[nodiscard]] std::string error_json(Reason reason);
/// The code of such a text, small letters, digits and underscores; empty for any other.
[[nodiscard]] std::string error_code(std::string_view text);
/// The status of HTTP that goes with it.
[[nodiscard]] int http_status(Reason reason);
[[nodiscard]] Reason reason_of(FrameFault fault);

/// A point as it is sent: doubles of 8 bytes, the lowest byte first.
[[nodiscard]] std::string model_bytes(std::span<const double> point);
/// DataError for another number of bytes than 8 a coordinate.
[[nodiscard]] std::vector<double> model_from_bytes(std::string_view bytes, std::size_t dimension);
/// The first 16 bytes of a digest of 64 hexadecimal digits.
[[nodiscard]] ModelMark model_mark(std::string_view digest);

}  // namespace tacet::local
