#include "tacet/random/source/source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::random {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 5> labels{"noise", "sampling", "selection", "initialisation",
                                                 "audit"};

constexpr std::uint64_t continuation_words = 16;  // more than any sampler reads

std::size_t place(Purpose purpose) {
  const auto index = static_cast<std::size_t>(purpose);
  if (index >= labels.size()) throw base::InternalError("unknown purpose of random numbers");
  return index;
}

}  // namespace

internal::BlockWords::BlockWords(const Key& block, const Key& first_piece, std::int64_t max_words)
    : block_(block), max_words_(static_cast<std::uint64_t>(max_words)), keystream_(first_piece) {}

void internal::BlockWords::words(std::uint64_t first, std::span<std::uint64_t> out) {
  constexpr auto size = static_cast<std::uint64_t>(piece_words);
  if (first > max_words_ || out.size() > max_words_ - first) {
    throw base::InternalError("word {} of a keystream block was asked for, {} were claimed",
                              first + out.size(), max_words_);
  }
  while (!out.empty()) {
    const std::uint64_t piece = first / size;
    if (piece != piece_) {
      keystream_ = Keystream(block_.child("words", piece));
      piece_ = piece;
    }
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), (piece + 1) * size - first));
    keystream_.words(first % size, out.first(count));
    first += count;
    out = out.subspan(count);
  }
}

KeystreamBlock::KeystreamBlock(BlockClaim claim)
    : key_(std::move(claim.key_)), words_key_(key_.child("words")), max_words_(claim.max_words_) {}

void KeystreamBlock::words(std::uint64_t first, std::span<std::uint64_t> out) const {
  KeystreamBlockReader(*this).words(first, out);
}

void KeystreamBlock::extension(std::uint64_t coordinate, std::uint64_t first,
                               std::span<std::uint64_t> out) const {
  if (coordinate >= static_cast<std::uint64_t>(max_words_) || first > continuation_words ||
      out.size() > continuation_words - first) {
    throw base::InternalError("a coordinate was continued beyond what its claim allows");
  }
  internal::Keystream keystream(key_.child("ext", coordinate));
  keystream.words(first, out);
}

KeystreamBlockReader::KeystreamBlockReader(const KeystreamBlock& block)
    : words_(block.key_, block.words_key_, block.max_words_) {}

void KeystreamBlockReader::words(std::uint64_t first, std::span<std::uint64_t> out) {
  words_.words(first, out);
}

Stream::Stream(BlockClaim claim)
    : key_(std::move(claim.key_)),
      max_words_(claim.max_words_),
      words_(key_, key_.child("words"), max_words_) {}

Stream::~Stream() { const internal::ScopedWipe wipe{std::span(buffer_)}; }

void Stream::refill() {
  internal::require_same_process(generation_);
  // Reads ahead only within the claim. At its end, asking for a word throws.
  const auto max = static_cast<std::uint64_t>(max_words_);
  batch_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(max - next_word_, 1, batch_));
  const auto fresh = std::span(buffer_).last(batch_);
  words_.words(next_word_, fresh);
  next_word_ += batch_;
  position_ = buffer_.size() - batch_;
  batch_ = std::min(4 * batch_, buffer_.size());
}

void Stream::refill_bits() {
  bits_ = next();  // next() checks for a copy of the process, too
  bits_left_ = 64;
}

Source::Source(internal::Key run) : run_(std::move(run)) { set_purposes(); }

void Source::set_purposes() {
  purposes_.clear();
  for (const auto label : labels) purposes_.push_back(run_.child(label));
  claimed_ = std::vector<internal::BlockRegistry>(labels.size());
  counts_.clear();
}

bool Source::begun() const {
  const std::lock_guard lock(mutex_);
  return !counts_.empty();
}

void Source::next_run() {
  internal::require_same_process(generation_);
  const std::lock_guard lock(mutex_);
  run_ = run_.child("next run");  // no purpose has this label
  set_purposes();
}

BlockClaim Source::claim(Purpose purpose, std::uint64_t step, std::uint64_t index,
                         std::int64_t max_words) {
  internal::require_same_process(generation_);
  if (max_words < 0 || max_words > max_block_words) {
    throw base::InternalError("a claim holds at most 2^33 words, {} were asked for", max_words);
  }
  {
    const std::lock_guard lock(mutex_);
    if (!claimed_[place(purpose)].take(step, index)) {
      throw base::InternalError(
          "random numbers for {}, step {}, index {} were requested twice, or after their step was "
          "finished; reused noise would reveal the data",
          labels[place(purpose)], step, index);
    }
    ++counts_[max_words];
  }
  // The label is part of every key: another one would change all seeded results.
  return {purposes_[place(purpose)].child("leaf", step, index), max_words};
}

void Source::finish_before(Purpose purpose, std::uint64_t step) {
  const std::lock_guard lock(mutex_);
  claimed_[place(purpose)].finish_before(step);
}

double Source::prg_slack() const {
  const std::lock_guard lock(mutex_);
  // added in the order of the keys of the map, so the same claims give the same sum
  double sum = 0;
  for (const auto& [words, claims] : counts_) sum += prg_slack_of(claims, words);
  // If all blocks have the same size, this equals prg_slack_of() to the last digit. Plans state
  // that number.
  return counts_.size() > 1 ? sum * numeric::amply_up : sum;
}

double prg_slack_of(std::int64_t blocks, std::int64_t words) {
  constexpr double continuation_blocks = static_cast<double>(continuation_words) / 2;
  const auto square_of = [](std::int64_t count) {
    const double blocks_of_piece = static_cast<double>(count) / 2 + 1;
    return blocks_of_piece * blocks_of_piece;
  };
  const std::int64_t whole = words / piece_words;
  const std::int64_t rest = words % piece_words;
  double one_block = static_cast<double>(whole) * square_of(piece_words);
  if (rest > 0 || whole == 0) one_block += square_of(rest);
  one_block += static_cast<double>(words) * continuation_blocks * continuation_blocks;
  constexpr double rounding = numeric::amply_up;
  return std::ldexp(static_cast<double>(blocks) * one_block * rounding, -129);
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
