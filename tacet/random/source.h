#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "tacet/random/cipher.h"
#include "tacet/random/key_tree.h"

namespace tacet::random {

/// What random numbers are for. Purposes never share a bit.
enum class Purpose : std::uint32_t { noise, sampling, selection, initialisation, audit };

class Source;

/// The right to draw from one leaf of the key tree, once. Move-only; whoever consumes it opens a
/// Leaf or a Stream. It must not outlive its Source.
class [[nodiscard]] Lease {
 public:
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) noexcept = default;

 private:
  friend class Source;
  friend class Leaf;
  friend class Stream;
  explicit Lease(internal::Key key) : key_(std::move(key)) {}
  internal::Key key_;
};

/// An open leaf whose words are addressed by coordinate: word j is the same whatever thread, rank
/// or piece of the vector asks for it. const members may be called by several threads at once.
class Leaf {
 public:
  explicit Leaf(Lease lease);
  Leaf(const Leaf&) = delete;
  Leaf& operator=(const Leaf&) = delete;

  /// Words first, first + 1, ... of the leaf; at most 2^33 words per leaf.
  void words(std::uint64_t first, std::span<std::uint64_t> out) const;

  /// Words that continue coordinate j beyond word j: a leaf of their own for every coordinate, so
  /// that no two coordinates share bits.
  void extension(std::uint64_t coordinate, std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  friend class LeafReader;
  internal::Key key_;
  internal::Key words_key_;
};

/// A leaf opened by one thread for many reads in a row, without setting up the cipher each time.
class LeafReader {
 public:
  explicit LeafReader(const Leaf& leaf);
  LeafReader(const LeafReader&) = delete;
  LeafReader& operator=(const LeafReader&) = delete;

  /// As Leaf::words.
  void words(std::uint64_t first, std::span<std::uint64_t> out);

 private:
  internal::Keystream keystream_;
};

/// A leaf read in order, for samplers that use a varying number of words. Not for several threads.
class Stream {
 public:
  explicit Stream(Lease lease);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// 64 independent fair bits. An InternalError in a forked child.
  [[nodiscard]] std::uint64_t next() {
    if (position_ == buffer_.size() || generation_ != internal::fork_count()) refill();
    return buffer_[position_++];
  }
  /// One fair bit; one word serves 64 calls.
  [[nodiscard]] bool next_bit();

 private:
  void refill();
  internal::Keystream keystream_;
  std::array<std::uint64_t, 1024> buffer_;
  std::size_t position_ = 1024;
  std::size_t batch_ = 8;  // grows, so that a short use does not pay for a long one
  std::uint64_t next_word_ = 0;
  std::uint64_t generation_ = internal::fork_generation();
  std::uint64_t bits_ = 0;
  int bits_left_ = 0;
};

/// A leaf holds at most this many words.
constexpr std::int64_t most_leaf_words = std::int64_t{1} << 33;

/// The cipher's term for `leaves` leaves of at most `words` words each, every word with its
/// continuation: from public numbers, so that it can be stated beside a guarantee.
[[nodiscard]] double cipher_term(std::int64_t leaves, std::int64_t words);

/// A tree of keys that hands out leases. All randomness of the library comes from one.
class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The leaf for (purpose, step, index). Each can be leased once: a second request would draw the
  /// same noise again, and the difference of two releases would show the data; it is an
  /// InternalError. So is a call in a forked child.
  [[nodiscard]] Lease lease(Purpose purpose, std::uint64_t step, std::uint64_t index);

  /// False for numbers that anybody can compute again, which protect nothing.
  [[nodiscard]] virtual bool secure() const = 0;

  /// Bound on the distance between the words of all leases so far and ideal random bits, with AES
  /// taken as a random permutation: blocks^2 / 2^129 a leaf (the PRP/PRF switching lemma), for
  /// leaves read to their very end and a continuation of every word of them. It grows with the
  /// number of leases alone, never with how many words a sampler happened to need: that depends on
  /// secrets. Where the number of words is public, cipher_term() is the tighter bound.
  [[nodiscard]] double cipher_delta() const;

 protected:
  explicit Source(const internal::Key& run);

 private:
  std::vector<internal::Key> purposes_;  // a key for each, in the order of the names
  std::uint64_t generation_ = internal::fork_generation();
  mutable std::mutex mutex_;
  std::set<std::tuple<Purpose, std::uint64_t, std::uint64_t>> leased_;
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
