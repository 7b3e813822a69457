#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "tacet/random/source/source.h"

namespace tacet::random {

/// The largest scale of the noise, in grid units.
constexpr double largest_gaussian_sigma = 4294967296.0;  // 2^32: error bounds stay below 0.03

/// Adds independent K_j = floor(sigma Z_j + 1/2), Z_j standard normal, to values[j]. The law is
/// exact: P(K = k) = Phi((k + 1/2)/sigma) - Phi((k - 1/2)/sigma), so that integer values plus K are
/// a rounding of the values plus real Gaussian noise, and keep every guarantee of it.
///
/// Word first + j of the keystream block decides coordinate j: cutting a vector into pieces with
/// the right `first` gives the same integers. sigma is in grid units, 0 < sigma <= 2^32; anything
/// else is a UsageError. Sums wrap modulo 2^64, which loses no privacy.
void add_rounded_gaussian(BlockClaim claim, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first = 0);

namespace internal {

/// The same from an open keystream block. Not for users: a keystream block could noise two sums, a
/// claim cannot.
void add_rounded_gaussian(const KeystreamBlock& block, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first = 0);

struct GaussianBatch;

/// Draws of one open keystream block, piece by piece, without setting up the cipher for each. The
/// keystream block must outlive it. Not for users, like the function above. Not for several threads
/// at once.
class GaussianReader {
 public:
  GaussianReader(const KeystreamBlock& block, double sigma);
  ~GaussianReader();
  GaussianReader(const GaussianReader&) = delete;
  GaussianReader& operator=(const GaussianReader&) = delete;

  /// The keystream block's words themselves, for what is decided beside the draws.
  void words(std::uint64_t first, std::span<std::uint64_t> out) { reader_.words(first, out); }
  /// Adds the draws of words first, first + 1, ... to the values.
  void add(std::uint64_t first, std::span<std::int64_t> values);

 private:
  const KeystreamBlock& block_;
  KeystreamBlockReader reader_;
  std::unique_ptr<GaussianBatch> batch_;
  std::size_t max_at_once_ = 0;  // draws: what has to be wiped
};

/// A UsageError unless 0 < sigma <= 2^32.
void check_gaussian_sigma(double sigma);

/// 64-bit word i of the continuation of a coordinate.
using Extension = std::function<std::uint64_t(std::uint64_t coordinate, int i)>;

/// One draw in exact arithmetic.
[[nodiscard]] std::int64_t exact_rounded_gaussian(std::uint64_t word, double sigma,
                                                  const std::function<std::uint64_t(int)>& more);

/// The draws of given words, added to values; coordinate first + j continues words[j]. Doubles
/// resolve those that lie further from a boundary than sigma times the proved error and than
/// `min_margin` (tests pass 0.49 to send nearly all to exact arithmetic).
void add_gaussians_from_words(std::span<const std::uint64_t> words, double sigma,
                              std::span<std::int64_t> values, std::uint64_t first,
                              const Extension& extension, double min_margin = 0);

}  // namespace internal
}  // namespace tacet::random

namespace tacet::random::internal {

/// Room for one call of the kernel. The list has room for a few more than there can be.
struct GaussianBatch {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t padding = 64;

  double sigma = 0;
  double min_margin = 0;
  alignas(64) std::uint64_t words[capacity];
  alignas(64) std::int64_t last[padding];                // values that are no whole vectors
  alignas(64) std::uint64_t listed[capacity + padding];  // words that the centre does not resolve
  alignas(64) std::uint32_t places[capacity + padding];  // and where they stand
  alignas(64) std::int64_t rows[capacity + padding];     // where a tail's coefficients are
  alignas(64) double offsets[capacity + padding];        // and where it is in their piece
  alignas(64) std::uint32_t undecided[capacity];
  std::uint64_t left[capacity / 64];  // bits of the words that the centre does not resolve
};

/// Adds to the values what doubles decide for `count` of batch.words from `begin` on (a multiple of
/// 64), on the widest vectors the machine has. Returns how many places it wrote to batch.undecided,
/// counted from `begin`; those got nothing yet.
std::size_t resolve_gaussians(GaussianBatch& batch, std::size_t begin, std::int64_t* values,
                              std::size_t count);

}  // namespace tacet::random::internal
