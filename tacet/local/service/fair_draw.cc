#include "tacet/local/service/fair_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacet::local {
namespace {

constexpr std::int64_t words_of_a_stream = std::int64_t{1} << 20;
constexpr std::int64_t max_halvings = 30;

}  // namespace

FairDraw::FairDraw() : source_(random::SecureSource::create()) {}

/// Above 0, at most 1.
double FairDraw::next_share() {
  if (left_ == 0) {
    lots_.emplace(source_->claim(random::Purpose::sampling, 0, streams_++, words_of_a_stream));
    left_ = words_of_a_stream;
  }
  --left_;
  return (static_cast<double>(lots_->next() >> 11) + 1) * 0x1p-53;
}

std::vector<std::size_t> FairDraw::pick(std::span<const std::int64_t> missed, std::size_t places) {
  std::vector<std::size_t> order(missed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (places >= order.size()) return order;
  // The first of exponential times with the weights as rates: a weighted draw without replacement
  // (Efraimidis and Spirakis 2006).
  std::vector<double> times(missed.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto halvings = std::clamp(missed[i], std::int64_t{0}, max_halvings);
    times[i] = std::ldexp(-std::log(next_share()), static_cast<int>(halvings));
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(places);
  std::ranges::nth_element(order, end, {}, [&](std::size_t i) { return times[i]; });
  order.resize(places);
  return order;
}

}  // namespace tacet::local
