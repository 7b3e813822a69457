#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tacet/random/source/block_registry.h"
#include "tacet/random/source/cipher.h"
#include "tacet/random/source/key_tree.h"

/// Example:
///
///     const auto source = random::SecureSource::create();  // keys of the operating system
///     random::Stream stream(source->claim(random::Purpose::noise, 0, 0));  // this address, once
///     const std::uint64_t word = stream.next();
namespace tacet::random {

/// What random numbers are for. Purposes never share a bit.
enum class Purpose : std::uint32_t { noise, sampling, selection, initialisation, audit };

class Source;

/// The largest number of words of a keystream block.
constexpr std::int64_t max_block_words = std::int64_t{1} << 33;
/// This many words are read under one key. Later words come from further keys of the keystream
/// block, since the distance from random bits grows with the square of what is read under one key.
constexpr std::int64_t piece_words = std::int64_t{1} << 20;

/// The right to draw from one keystream block of the key tree, once. Move-only; it is used up by
/// opening a KeystreamBlock or a Stream. It must not outlive its Source.
class [[nodiscard]] BlockClaim {
 public:
  BlockClaim(BlockClaim&&) noexcept = default;
  BlockClaim& operator=(BlockClaim&&) noexcept = default;

 private:
  friend class Source;
  friend class KeystreamBlock;
  friend class Stream;
  BlockClaim(internal::Key key, std::int64_t max_words)
      : key_(std::move(key)), max_words_(max_words) {}
  internal::Key key_;
  std::int64_t max_words_;
};

namespace internal {

/// Reads the words of a keystream block, piece by piece. The keys of the block must outlive it.
class BlockWords {
 public:
  /// `first_piece` is the first child named "words" of the block's key.
  BlockWords(const Key& block, const Key& first_piece, std::int64_t max_words);

  /// Words first, first + 1, .... InternalError beyond the end of the claim.
  void words(std::uint64_t first, std::span<std::uint64_t> out);

 private:
  const Key& block_;
  std::uint64_t max_words_;
  std::uint64_t piece_ = 0;
  Keystream keystream_;
};

}  // namespace internal

/// An open keystream block whose words are addressed by coordinate: word j is the same, whichever
/// thread, process or piece of the vector asks for it. const members may be called by several
/// threads at once.
class KeystreamBlock {
 public:
  explicit KeystreamBlock(BlockClaim claim);
  KeystreamBlock(const KeystreamBlock&) = delete;
  KeystreamBlock& operator=(const KeystreamBlock&) = delete;

  /// Words first, first + 1, ... of the keystream block. InternalError beyond the end of the claim.
  void words(std::uint64_t first, std::span<std::uint64_t> out) const;

  /// Words that continue coordinate j after word j. Every coordinate has its own keystream block
  /// for them, so no two coordinates share bits. At most 16 words each; InternalError beyond that,
  /// and for coordinates beyond the end of the claim.
  void extension(std::uint64_t coordinate, std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  friend class KeystreamBlockReader;
  internal::Key key_;
  internal::Key words_key_;
  std::int64_t max_words_;
};

/// A keystream block that one thread reads many times in a row, without setting up the cipher each
/// time.
class KeystreamBlockReader {
 public:
  explicit KeystreamBlockReader(const KeystreamBlock& block);
  KeystreamBlockReader(const KeystreamBlockReader&) = delete;
  KeystreamBlockReader& operator=(const KeystreamBlockReader&) = delete;

  /// As KeystreamBlock::words().
  void words(std::uint64_t first, std::span<std::uint64_t> out);

 private:
  internal::BlockWords words_;
};

/// A keystream block read in order, for samplers that use a varying number of words. Not for
/// several threads.
class Stream {
 public:
  explicit Stream(BlockClaim claim);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// 64 independent fair bits. InternalError in a copy of the process, however it was made. Every
  /// call checks that, since words that were read in advance are in the copy's memory too.
  [[nodiscard]] std::uint64_t next() {
    if (position_ == buffer_.size() || generation_ != internal::fork_count()) refill();
    return buffer_[position_++];
  }
  /// One fair bit; one word serves 64 calls. Checks for a copy of the process as next() does.
  [[nodiscard]] bool next_bit() {
    if (bits_left_ == 0 || generation_ != internal::fork_count()) refill_bits();
    const bool bit = (bits_ & 1U) != 0;
    bits_ >>= 1;
    --bits_left_;
    return bit;
  }

 private:
  void refill();
  void refill_bits();
  internal::Key key_;
  std::int64_t max_words_;
  internal::BlockWords words_;
  std::array<std::uint64_t, 1024> buffer_;
  std::size_t position_ = 1024;
  std::size_t batch_ = 8;  // grows with use, so that a short use does not pay for a long one
  std::uint64_t next_word_ = 0;
  std::uint64_t generation_ = internal::fork_generation();
  std::uint64_t bits_ = 0;
  int bits_left_ = 0;
};

/// The PRG slack for `blocks` keystream blocks of at most `words` words each, every word with its
/// continuation: It depends on public numbers only, so that it can be stated with a guarantee: the
/// sum of squares of the cipher blocks read under each key, over 2^129 (Source::prg_slack).
[[nodiscard]] double prg_slack_of(std::int64_t blocks, std::int64_t words);

/// A tree of keys that gives out claims. All randomness of the library comes from such a tree.
/// Several threads may claim at once.
///
/// Within a run, each address can be claimed once. A run is one training, one fit, or a series of
/// releases whose addresses the caller counts. The next run needs its own source, or a call of
/// next_run().
class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The keystream block for (purpose, step, index), of which at most `max_words` words will be
  /// read: That number is public, and prg_slack() counts it. Each block can be claimed once: with a
  /// second claim, two releases would have the same noise, and their difference would reveal the
  /// data. InternalError for a second claim, for a call in a forked child, and for max_words
  /// outside [0, 2^33].
  [[nodiscard]] BlockClaim claim(Purpose purpose, std::uint64_t step, std::uint64_t index,
                                 std::int64_t max_words = max_block_words);

  /// Marks all steps of a purpose below this one as finished. Claims of them are refused from now
  /// on, and they need no memory any more. prg_slack() still counts the claims that were given.
  void finish_before(Purpose purpose, std::uint64_t step);

  /// Whether anything was claimed in this run.
  [[nodiscard]] bool begun() const;
  /// Begins another run: all addresses can be claimed again, under keys that no earlier run had.
  /// Earlier claims stay valid. No other thread may claim during the call.
  void next_run();

  /// False for numbers that anybody can compute again; they protect nothing.
  [[nodiscard]] virtual bool secure() const = 0;

  /// Bound on the distance between the words of all claims of this run and ideal random bits, with
  /// AES taken as a random permutation: blocks^2 / 2^129 per key (the PRP/PRF switching lemma). It
  /// assumes that every claim is read to its end, with a continuation for every word. So it depends
  /// on the claims alone, and never on how many words a sampler needed, which depends on secrets.
  [[nodiscard]] double prg_slack() const;

 protected:
  explicit Source(internal::Key run);

 private:
  void set_purposes();

  internal::Key run_;
  std::vector<internal::Key> purposes_;  // one key per purpose, in the order of the labels
  std::uint64_t generation_ = internal::fork_generation();
  mutable std::mutex mutex_;
  std::vector<internal::BlockRegistry> claimed_;  // one registry per purpose
  // number of claims, by the number of words they allow
  std::map<std::int64_t, std::int64_t> counts_;
};

/// Randomness from the operating system's generator, stretched by AES-256.
class SecureSource final : public Source {
 public:
  /// An IoError if the operating system gives no randomness.
  [[nodiscard]] static std::unique_ptr<SecureSource> create();
  [[nodiscard]] bool secure() const override { return true; }

 private:
  using Source::Source;
};

/// INSECURE: the same numbers in every run, for tests and experiments. What is computed with it is
/// not private.
class SeededSource final : public Source {
 public:
  explicit SeededSource(std::uint64_t seed);
  [[nodiscard]] bool secure() const override { return false; }
};

}  // namespace tacet::random
