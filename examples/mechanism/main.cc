// A mechanism of one's own, made of proved ones: a mean whose bounds are released quantiles. Its
// event is the composition of theirs, and one permit holds it together.
#include <algorithm>
#include <iostream>

#include "tacet/tacet.h"

int main() {
  using namespace tacet;
  const auto adjacency = privacy::Adjacency::add_remove;
  std::vector<double> wages;  // nobody knows their bounds but that they lie below a million
  for (int i = 0; i < 4000; ++i) wages.push_back(1500 + (i * 7919) % 3000);

  const api::QuantileQuery low{
      .level = 0.05, .lower = 0, .upper = 1e6, .step = 10, .adjacency = adjacency};
  auto high = low;
  high.level = 0.95;
  const privacy::Epsilon epsilon(0.25);
  const privacy::Event planned =
      privacy::Composed{{api::quantile_event(low, epsilon), api::quantile_event(high, epsilon),
                         privacy::Gaussian{8}}};
  accounting::MemoryBudget budget(privacy::Guarantee{2, 1e-6, adjacency});
  auto permit = budget.reserve(planned, privacy::Delta(1e-6));  // accounted as one
  api::Releases releases(permit);
  const double min = releases.quantile(wages, low, epsilon);
  const double max = std::max(releases.quantile(wages, high, epsilon), min + 10);
  optimize::MeanSum sum(min, max, optimize::Norm::l2);
  for (const double wage : wages) sum.add(wage);
  const auto numbers = releases.gaussian(optimize::MeanSum(sum), privacy::NoiseMultiplier(8));
  permit.commit();
  std::cout << "mean wage: " << sum.mean(numbers) << " between " << min << " and " << max
            << "\nepsilon " << permit.guarantee().epsilon << '\n';
}
