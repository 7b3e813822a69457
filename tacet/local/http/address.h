#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacet::local {

/// An address of IPv4 or IPv6 in its one spelling, an IPv4 address inside of IPv6 (::ffff:1.2.3.4)
/// as what it is; none for any other text.
[[nodiscard]] std::optional<std::string> plain_address(std::string_view text);

/// What limits of an address count: itself, of IPv6 the network of its first 64 bits, all of which
/// belongs to whoever has one address of it.
[[nodiscard]] std::string limited_address(const std::string& plain);

}  // namespace tacet::local
