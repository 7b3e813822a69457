#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacet/random/source/source.h"

namespace tacet::local {

/// Who gets a place where more wait than there are places: a draw by lot, so that asking faster
/// helps nobody. Who let k slots end without a report has a weight of 2^-k. Not for several threads
/// at once.
class FairDraw {
 public:
  FairDraw();
  /// Indices of those who get the places, all of them where there are enough. `missed` holds the k
  /// of each.
  [[nodiscard]] std::vector<std::size_t> pick(std::span<const std::int64_t> missed,
                                              std::size_t places);

 private:
  [[nodiscard]] double next_share();

  std::unique_ptr<random::Source> source_;
  std::optional<random::Stream> lots_;
  std::uint64_t streams_ = 0;
  std::int64_t left_ = 0;  // words of the stream
};

}  // namespace tacet::local
