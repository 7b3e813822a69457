#include "tacet/local/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

namespace tacet::local {
namespace {

std::string text_of(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

}  // namespace

std::optional<std::string> plain_address(std::string_view text) {
  const std::string ended(text);
  in_addr four{};
  if (::inet_pton(AF_INET, ended.c_str(), &four) == 1) return text_of(AF_INET, &four);
  in6_addr six{};
  if (::inet_pton(AF_INET6, ended.c_str(), &six) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return text_of(AF_INET, &six.s6_addr[12]);
  return text_of(AF_INET6, &six);
}

std::string limited_address(const std::string& plain) {
  in6_addr six{};
  if (::inet_pton(AF_INET6, plain.c_str(), &six) != 1) return plain;
  std::fill(std::begin(six.s6_addr) + 8, std::end(six.s6_addr), 0);
  return text_of(AF_INET6, &six) + "/64";
}

double AddressRates::left(const Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.since).count();
  return std::min(std::max(a_second_, 1.0), bucket.left + seconds * a_second_);
}

AddressRates::Bucket& AddressRates::filled(const std::string& address, Clock::time_point now) {
  if (buckets_.size() >= clean_at_) {
    // An address with its full allowance needs no entry: a new entry would be equal.
    std::erase_if(buckets_, [&](const auto& one) {
      return left(one.second, now) >= std::max(a_second_, 1.0);
    });
    clean_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
  }
  auto [place, fresh] = buckets_.try_emplace(address, Bucket{std::max(a_second_, 1.0), now});
  auto& bucket = place->second;
  bucket = {left(bucket, now), now};
  return bucket;
}

bool AddressRates::allow(const std::string& address, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  auto& bucket = filled(address, now);
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

bool AddressRates::would_allow(const std::string& address, Clock::time_point now) const {
  const std::scoped_lock lock(mutex_);
  const auto found = buckets_.find(address);
  return found == buckets_.end() || left(found->second, now) >= 1;
}

void AddressRates::charge(const std::string& address, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  auto& bucket = filled(address, now);
  bucket.left = std::max(bucket.left - 1, -std::max(a_second_, 1.0));
}

std::size_t AddressRates::size() const {
  const std::scoped_lock lock(mutex_);
  return buckets_.size();
}

}  // namespace tacet::local
