#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>

#include "tacet/random/cipher.h"
#include "tacet/random/key_tree.h"

namespace tacet::random {

/// What random numbers are for. Purposes never share a bit.
enum class Purpose : std::uint32_t { noise, sampling, selection, initialisation, audit };

class Source;

namespace internal {

/// Sum of blocks^2 / 2^129 over the leaves used, in units that add exactly enough for a bound.
class CipherAccount {
 public:
  void add_leaf(std::uint64_t blocks);
  [[nodiscard]] double delta() const;

 private:
  mutable std::mutex mutex_;
  double delta_ = 0;
};

}  // namespace internal

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
  Lease(internal::Key key, internal::CipherAccount* account)
      : key_(std::move(key)), account_(account) {}
  internal::Key key_;
  internal::CipherAccount* account_;
};

/// An open leaf whose words are addressed by coordinate: word j is the same whatever thread, rank
/// or piece of the vector asks for it. const members may be called by several threads at once.
class Leaf {
 public:
  explicit Leaf(Lease lease);
  Leaf(const Leaf&) = delete;
  Leaf& operator=(const Leaf&) = delete;
  ~Leaf();

  /// Words first, first + 1, ... of the leaf; at most 2^33 words per leaf.
  void words(std::uint64_t first, std::span<std::uint64_t> out) const;

  /// Words that continue coordinate j beyond word j: a leaf of their own for every coordinate, so
  /// that no two coordinates share bits.
  void extension(std::uint64_t coordinate, std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  friend class LeafReader;
  internal::Key key_;
  internal::Key words_key_;
  internal::CipherAccount* account_;
  mutable std::atomic<std::uint64_t> blocks_{0};
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
  const Leaf& leaf_;
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
  internal::CipherAccount* account_;
  std::array<std::uint64_t, 1024> buffer_;
  std::size_t position_ = 1024;
  std::size_t batch_ = 8;  // grows, so that a short use does not pay for a long one
  std::uint64_t next_word_ = 0;
  std::uint64_t generation_ = internal::fork_generation();
  std::uint64_t bits_ = 0;
  int bits_left_ = 0;
};

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

  /// Bound on the distance between the words drawn so far and ideal random bits, with AES taken as
  /// a random permutation: the sum over the leaves used of blocks^2 / 2^129 (the PRP/PRF switching
  /// lemma). Leaves still open are not yet in it.
  [[nodiscard]] double cipher_delta() const { return account_.delta(); }

 protected:
  explicit Source(internal::Key run) : run_(std::move(run)) {}

 private:
  internal::Key run_;
  std::uint64_t generation_ = internal::fork_generation();
  std::mutex mutex_;
  std::set<std::tuple<Purpose, std::uint64_t, std::uint64_t>> leased_;
  internal::CipherAccount account_;
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
