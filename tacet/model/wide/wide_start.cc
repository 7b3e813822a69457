#include "tacet/model/wide/wide_start.h"

#include <cmath>

#include "tacet/data/words/random_draws.h"

namespace tacet::model {

WideStart::WideStart(const WideShape& shape, std::uint64_t seed)
    : shape_(shape), layout_(shape.layout()), seed_(seed) {}

// Uniform on (-1, 1): 53 bits and a half.
double WideStart::uniform(std::int64_t row, std::int64_t place) const {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  const auto key = data::RandomDraws::mixed(seed_ + golden * (static_cast<std::uint64_t>(row) + 1));
  const auto word =
      data::RandomDraws::mixed(key + golden * (static_cast<std::uint64_t>(place) + 1));
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-52 - 1;
}

void WideStart::write_row(std::int64_t row, std::span<float> out) const {
  const bool vector = layout_.table_of(row) < shape_.fields.size();
  const double shrink = shape_.two_tower() ? 4 : 16;
  const double reach = vector ? std::sqrt(3 / (shrink * static_cast<double>(out.size()))) : 0;
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = static_cast<float>(reach * uniform(row, static_cast<std::int64_t>(j)));
  }
}

std::vector<float> WideStart::block() const {
  std::vector<float> out(static_cast<std::size_t>(layout_.dense()));
  if (shape_.two_tower()) return out;
  std::size_t at =
      shape_.dense_weights() ? static_cast<std::size_t>(shape_.outputs) * shape_.dense.size() : 0;
  auto in = shape_.input_width();
  const auto layer = [&](std::int64_t neurons, double square) {
    const double reach = std::sqrt(3 * square / static_cast<double>(in));
    for (std::int64_t i = 0; i < neurons * in; ++i, ++at) {
      // Rows are those of the tables; the block's numbers come behind them.
      out[at] = static_cast<float>(reach * uniform(layout_.rows(), static_cast<std::int64_t>(at)));
    }
    at += static_cast<std::size_t>(neurons);
    in = neurons;
  };
  for (const auto neurons : shape_.hidden) layer(neurons, 2);
  // Without a hidden layer the output starts at 0: there is no symmetry to break.
  if (!shape_.hidden.empty() || !shape_.fields.empty()) layer(shape_.outputs, 1);
  return out;
}

}  // namespace tacet::model
