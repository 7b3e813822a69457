#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tacet::local {

/// An address of IPv4 or IPv6 in its one spelling, an IPv4 address inside of IPv6 (::ffff:1.2.3.4)
/// as what it is; none for any other text.
[[nodiscard]] std::optional<std::string> plain_address(std::string_view text);

/// What limits per address count: the address itself, or for IPv6 the network of its first 64 bits,
/// all of which belongs to the owner of one address in it.
[[nodiscard]] std::string limited_address(const std::string& plain);

/// How often an address may ask: so many a second, after a second's worth at once.
/// Several threads may ask.
class AddressRates {
 public:
  using Clock = std::chrono::steady_clock;

  explicit AddressRates(double a_second) : a_second_(a_second) {}
  [[nodiscard]] bool allow(const std::string& address, Clock::time_point now);
  /// Whether `allow` would say yes.
  [[nodiscard]] bool would_allow(const std::string& address, Clock::time_point now) const;
  /// Counts one that was not asked about before; an address pays back a second's worth at most.
  void charge(const std::string& address, Clock::time_point now);
  /// How many addresses are remembered.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Bucket {
    double left;
    Clock::time_point since;
  };
  [[nodiscard]] double left(const Bucket& bucket, Clock::time_point now) const;
  [[nodiscard]] Bucket& filled(const std::string& address, Clock::time_point now);

  double a_second_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::size_t clean_at_ = 1024;
};

}  // namespace tacet::local
