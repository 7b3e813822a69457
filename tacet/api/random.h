#pragma once

#include <cstdint>
#include <memory>

namespace tacet::random {
class Source;
}

/// Where noise comes from. Each training or release that gets a source begins a new run with it.
/// Without a source it uses the operating system's randomness.
///
/// Example:
///
///     const api::Random repeatable = api::Random::seeded(7);  // for tests: protects nobody
namespace tacet::api {

/// Serves one training, release or api::Releases at a time: give each thread its own, or none.
/// Copies share one source.
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
