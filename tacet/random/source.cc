#include "tacet/random/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::random {
namespace {

std::string_view label(Purpose purpose) {
  switch (purpose) {
    case Purpose::noise:
      return "noise";
    case Purpose::sampling:
      return "sampling";
    case Purpose::selection:
      return "selection";
    case Purpose::initialisation:
      return "initialisation";
    case Purpose::audit:
      return "audit";
  }
  throw base::InternalError("unknown purpose of random numbers");
}

/// Blocks of two words that hold words [first, first + count).
std::uint64_t blocks_touched(std::uint64_t first, std::size_t count) {
  return count == 0 ? 0 : (first + count + 1) / 2 - first / 2;
}

}  // namespace

namespace internal {

void CipherAccount::add_leaf(std::uint64_t blocks) {
  const auto count = static_cast<double>(blocks);
  const double term = std::ldexp(count * count, -129);
  const std::lock_guard lock(mutex_);
  // One step up pays for the rounding of the product and of the sum.
  delta_ = std::nextafter(delta_ + std::nextafter(term, 1.0), 1.0);
}

double CipherAccount::delta() const {
  const std::lock_guard lock(mutex_);
  return delta_;
}

}  // namespace internal

Leaf::Leaf(Lease lease)
    : key_(std::move(lease.key_)), words_key_(key_.child("words")), account_(lease.account_) {}

Leaf::~Leaf() {
  if (const std::uint64_t used = blocks_.load(); used > 0) account_->add_leaf(used);
}

void Leaf::words(std::uint64_t first, std::span<std::uint64_t> out) const {
  LeafReader(*this).words(first, out);
}

void Leaf::extension(std::uint64_t coordinate, std::uint64_t first,
                     std::span<std::uint64_t> out) const {
  internal::Keystream keystream(key_.child("ext", coordinate));
  keystream.words(first, out);
  account_->add_leaf((first + out.size() + 1) / 2);
}

LeafReader::LeafReader(const Leaf& leaf) : leaf_(leaf), keystream_(leaf.words_key_) {}

void LeafReader::words(std::uint64_t first, std::span<std::uint64_t> out) {
  keystream_.words(first, out);
  leaf_.blocks_.fetch_add(blocks_touched(first, out.size()), std::memory_order_relaxed);
}

Stream::Stream(Lease lease) : keystream_(lease.key_.child("words")), account_(lease.account_) {}

Stream::~Stream() {
  const internal::ScopedWipe wipe{std::span(buffer_)};
  if (next_word_ > 0) account_->add_leaf((next_word_ + 1) / 2);
}

void Stream::refill() {
  internal::require_same_process(generation_);
  const auto fresh = std::span(buffer_).last(batch_);
  keystream_.words(next_word_, fresh);
  next_word_ += batch_;
  position_ = buffer_.size() - batch_;
  batch_ = std::min(4 * batch_, buffer_.size());
}

bool Stream::next_bit() {
  if (bits_left_ == 0) {
    bits_ = next();
    bits_left_ = 64;
  }
  const bool bit = (bits_ & 1U) != 0;
  bits_ >>= 1;
  --bits_left_;
  return bit;
}

Lease Source::lease(Purpose purpose, std::uint64_t step, std::uint64_t index) {
  internal::require_same_process(generation_);
  {
    const std::lock_guard lock(mutex_);
    if (!leased_.emplace(purpose, step, index).second) {
      throw base::InternalError(fmt::format(
          "random numbers for {}, step {}, index {} were requested twice; reused noise would "
          "reveal the data",
          label(purpose), step, index));
    }
  }
  return Lease(run_.child(label(purpose)).child("leaf", step, index), &account_);
}

std::unique_ptr<SecureSource> SecureSource::create() {
  const auto root = internal::Key::from_system();
  const auto run_name = internal::Key::from_system();
  std::array<std::uint64_t, 2> run{};
  const auto bytes = run_name.bytes();
  for (std::size_t i = 0; i < 16; ++i) {
    run[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  }
  return std::unique_ptr<SecureSource>(new SecureSource(root.child("run", run[0], run[1])));
}

SeededSource::SeededSource(std::uint64_t seed)
    : Source(internal::Key::from_seed(seed).child("run")) {}

}  // namespace tacet::random
