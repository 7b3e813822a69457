#include "tacet/local/http/address_rates.h"

#include <algorithm>

namespace tacet::local {

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
