#include "tacet/random/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::random {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 5> labels{"noise", "sampling", "selection", "initialisation",
                                                 "audit"};

std::size_t place(Purpose purpose) {
  const auto index = static_cast<std::size_t>(purpose);
  if (index >= labels.size()) throw base::InternalError("unknown purpose of random numbers");
  return index;
}

}  // namespace

Leaf::Leaf(Lease lease) : key_(std::move(lease.key_)), words_key_(key_.child("words")) {}

void Leaf::words(std::uint64_t first, std::span<std::uint64_t> out) const {
  LeafReader(*this).words(first, out);
}

void Leaf::extension(std::uint64_t coordinate, std::uint64_t first,
                     std::span<std::uint64_t> out) const {
  internal::Keystream keystream(key_.child("ext", coordinate));
  keystream.words(first, out);
}

LeafReader::LeafReader(const Leaf& leaf) : keystream_(leaf.words_key_) {}

void LeafReader::words(std::uint64_t first, std::span<std::uint64_t> out) {
  keystream_.words(first, out);
}

Stream::Stream(Lease lease) : keystream_(lease.key_.child("words")) {}

Stream::~Stream() { const internal::ScopedWipe wipe{std::span(buffer_)}; }

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

Source::Source(const internal::Key& run) {
  for (const auto label : labels) purposes_.push_back(run.child(label));
}

Lease Source::lease(Purpose purpose, std::uint64_t step, std::uint64_t index) {
  internal::require_same_process(generation_);
  {
    const std::lock_guard lock(mutex_);
    if (!leased_.emplace(purpose, step, index).second) {
      throw base::InternalError(fmt::format(
          "random numbers for {}, step {}, index {} were requested twice; reused noise would "
          "reveal the data",
          labels[place(purpose)], step, index));
    }
  }
  return Lease(purposes_[place(purpose)].child("leaf", step, index));
}

double Source::cipher_delta() const {
  const std::lock_guard lock(mutex_);
  return cipher_term(static_cast<std::int64_t>(leased_.size()), most_leaf_words);
}

double cipher_term(std::int64_t leaves, std::int64_t words) {
  constexpr double continuation_blocks = 8;  // more than any sampler reads of one
  const double count = static_cast<double>(words);
  const double blocks = count / 2 + 1;
  const double one_leaf = blocks * blocks + count * continuation_blocks * continuation_blocks;
  constexpr double rounding = 1 + 0x1p-40;
  return std::ldexp(static_cast<double>(leaves) * one_leaf * rounding, -129);
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
