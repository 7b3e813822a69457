// Sums of one's own, released with noise and a receipt.

#include <iostream>

#include "tacet/tacet.h"

int main() {
  using namespace tacet;
  const auto adjacency = privacy::Adjacency::add_remove;
  accounting::MemoryBudget budget(privacy::Guarantee{2, 1e-6, adjacency});

  // Visits by weekday, at most 3 of each person: whole numbers, and no delta.
  optimize::Histogram days(7, optimize::UnitLimit(3));
  for (int visit = 0; visit < 5000; ++visit) days.add(visit % 7, visit / 5);
  const auto visits = api::release(std::move(days), {1, 0, adjacency},
                                   {.noise = api::Noise::discrete_laplace,
                                    .privacy_unit = "person",
                                    .max_records_per_unit = 3,
                                    .budget = &budget});

  // The mean of a number in public bounds.
  optimize::MeanSum ages(0, 120, optimize::Norm::l2);
  for (int person = 0; person < 1000; ++person) ages.add(20 + person % 50);
  const auto age = api::release(optimize::MeanSum(ages), {0.5, 1e-7, adjacency},
                                {.privacy_unit = "person", .budget = &budget});

  std::cout << "visits on Mondays: " << visits.values[0] << " (noise of standard deviation "
            << visits.noise_stddev << ")\nmean age: " << ages.mean(age.values)
            << "\nspent: epsilon " << budget.spent().epsilon << " at delta " << budget.spent().delta
            << '\n'
            << privacy::receipt_to_json(visits.receipt) << '\n';
}
