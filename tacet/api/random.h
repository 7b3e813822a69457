#pragma once

#include <cstdint>
#include <memory>

namespace tacet::random {
class Source;
}

/// Where noise comes from. Everything that takes one begins a run of its own with it, and takes the
/// operating system's randomness where none is given.
///
/// Example:
///
///     const api::Random repeatable = api::Random::seeded(7);  // for tests: protects nobody
namespace tacet::api {

/// For one training, release or api::Releases at a time: give each thread its own, or none. Copies
/// are the same source.
class Random {
 public:
  /// The operating system's entropy through a stream cipher.
  [[nodiscard]] static Random secure();
  /// A known seed: repeatable, and therefore no protection at all. Receipts say so.
  [[nodiscard]] static Random seeded(std::uint64_t seed);

 private:
  friend struct Inside;
  explicit Random(std::shared_ptr<random::Source> source) : source_(std::move(source)) {}
  std::shared_ptr<random::Source> source_;
};

}  // namespace tacet::api
