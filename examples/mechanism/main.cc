// A mechanism of one's own, made of proved ones: a mean whose bounds are released quantiles. Its
// event is the composition of theirs, and one permit holds it together.
#include <algorithm>
#include <iostream>

#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/tacet.h"

int main() {
  using namespace tacet;
  const auto adjacency = privacy::Adjacency::add_remove;
  std::vector<double> wages;  // nobody knows their bounds but that they lie below a million
  for (int i = 0; i < 4000; ++i) wages.push_back(1500 + (i * 7919) % 3000);

  const mechanism::Grid grid(0, 1e6, 10);
  const mechanism::QuantileQuery low{.level = 0.05, .grid = grid, .adjacency = adjacency};
  const mechanism::QuantileQuery high{.level = 0.95, .grid = grid, .adjacency = adjacency};
  const privacy::Epsilon epsilon(0.25);
  const privacy::Event planned =
      privacy::Composed{{mechanism::quantile_event(low, epsilon),
                         mechanism::quantile_event(high, epsilon), privacy::Gaussian{8}}};
  accounting::MemoryBudget budget(privacy::Guarantee{2, 1e-6, adjacency});
  auto permit = budget.reserve(planned, privacy::Delta(1e-6));  // accounted as one
  const auto source = random::SecureSource::create();
  const privacy::Private<std::vector<double>> values(wages);
  const auto quantile = [&](const mechanism::QuantileQuery& query, std::uint64_t step) {
    return mechanism::release_quantile(values, query, epsilon, {{step}, *source, permit}).value();
  };
  const double least = quantile(low, 0);
  const double most = std::max(quantile(high, 1), least + 10);
  optimize::MeanSum sum(least, most, optimize::Norm::l2);
  for (const double wage : wages) sum.add(wage);
  const auto numbers = mechanism::release_gaussian(
      optimize::MeanSum(sum).take(), privacy::NoiseMultiplier(8), {{2}, *source, permit});
  permit.commit();
  std::cout << "mean wage: " << sum.mean(numbers.value()) << " between " << least << " and " << most
            << "\nepsilon " << permit.guarantee().epsilon << '\n';
}
