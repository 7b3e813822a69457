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
/// exact: P(K = k) = Phi((k + 1/2)/sigma) - Phi((k - 1/2)/sigma), So integer values plus K are a
/// rounding of the values plus real Gaussian noise, and have all guarantees of that noise.
///
/// Word first + j of the keystream block decides coordinate j: a vector that is cut into pieces,
/// each with the right `first`, gets the same noise. sigma is in grid units, 0 < sigma <= 2^32;
/// anything else is a UsageError. Sums wrap modulo 2^64, which loses no privacy.
void add_rounded_gaussian(BlockClaim claim, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first = 0);

namespace internal {

/// The same for an open keystream block. Internal: a block could add the same noise to two sums,
/// while a claim can be used only once.
void add_rounded_gaussian(const KeystreamBlock& block, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first = 0);

struct GaussianBatch;

/// Reads the draws of one open keystream block, piece by piece, without setting up the cipher for
/// each piece. The block must outlive it. Internal, like the function above. Not for several
/// threads at once.
class GaussianReader {
 public:
  GaussianReader(const KeystreamBlock& block, double sigma);
  ~GaussianReader();
  GaussianReader(const GaussianReader&) = delete;
  GaussianReader& operator=(const GaussianReader&) = delete;

  /// The words of the keystream block themselves, for other decisions beside the draws.
  void words(std::uint64_t first, std::span<std::uint64_t> out) { reader_.words(first, out); }
  /// Adds the draws of words first, first + 1, ... to the values.
  void add(std::uint64_t first, std::span<std::int64_t> values);

 private:
  const KeystreamBlock& block_;
  KeystreamBlockReader reader_;
  std::unique_ptr<GaussianBatch> batch_;
  std::size_t max_at_once_ = 0;  // the largest number of draws at once, which has to be wiped
};

/// A UsageError unless 0 < sigma <= 2^32.
void check_gaussian_sigma(double sigma);

/// Returns 64-bit word i of the continuation of a coordinate.
using Extension = std::function<std::uint64_t(std::uint64_t coordinate, int i)>;

/// Computes one draw in exact arithmetic.
[[nodiscard]] std::int64_t exact_rounded_gaussian(std::uint64_t word, double sigma,
                                                  const std::function<std::uint64_t(int)>& more);

/// Adds the draws of given words to the values; coordinate first + j continues words[j]. Doubles
/// resolve those that lie further from a boundary than sigma times the proved error and than
/// `min_margin` (tests pass 0.49 to send nearly all to exact arithmetic).
void add_gaussians_from_words(std::span<const std::uint64_t> words, double sigma,
                              std::span<std::int64_t> values, std::uint64_t first,
                              const Extension& extension, double min_margin = 0);

}  // namespace internal
}  // namespace tacet::random

namespace tacet::random::internal {

/// Buffers for one call of the kernel. The lists have room for a few entries more than there can
/// be.
struct GaussianBatch {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t padding = 64;

  double sigma = 0;
  double min_margin = 0;
  alignas(64) std::uint64_t words[capacity];
  alignas(64) std::int64_t last[padding];                // values that do not fill a vector
  alignas(64) std::uint64_t listed[capacity + padding];  // words that the centre does not decide
  alignas(64) std::uint32_t places[capacity + padding];  // their places
  alignas(64) std::int64_t rows[capacity + padding];     // the row of each word's tail coefficients
  alignas(64) double offsets[capacity + padding];        // and the offset within its piece
  alignas(64) std::uint32_t undecided[capacity];
  std::uint64_t left[capacity / 64];  // a bit for each word that the centre does not decide
};

/// Adds to the values the draws that doubles can decide, for `count` of batch.words from `begin` on
/// (a multiple of 64), on the widest vectors of the machine. Returns how many places it wrote to
/// batch.undecided, counted from `begin`; those got nothing yet.
std::size_t resolve_gaussians(GaussianBatch& batch, std::size_t begin, std::int64_t* values,
                              std::size_t count);

}  // namespace tacet::random::internal
