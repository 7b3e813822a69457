// What do most customers ask for? Their votes are private, the products are public.

#include <iostream>
#include <string>
#include <vector>

#include "tacet/accounting/memory_budget.h"
#include "tacet/mechanism/select/generalized_exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/mechanism/select/top_k.h"

int main() {
  using namespace tacet;
  const std::vector<std::string> products{"bread", "cheese", "fish",  "herbs",
                                          "honey", "milk",   "pears", "rice"};
  // A customer has one vote: one customer more lets one count grow by 1 and no count fall.
  const auto adjacency = privacy::Adjacency::add_remove;
  const auto votes = mechanism::Scores::integers({812, 790, 120, 35, 410, 805, 260, 98}, 1,
                                                 mechanism::Movement::one_way, adjacency);

  // How far each of three forecasts was off, summed over customers. A customer moves the first by 1
  // at most and the last, which is finer, by 4: made comparable by generalized_scores.
  const std::vector<double> errors{905, 430, 420};
  const std::vector<double> moves{1, 2, 4};

  // What is going to be released, what that costs, and a permit for it: all before a vote is read.
  const privacy::Epsilon epsilon{0.25};
  const mechanism::SparseVectorOptions popular{
      .threshold = 300, .max_positives = 5, .selection_epsilon = epsilon, .value_epsilon = {}};
  const auto noise = mechanism::NoisyMax::exponential;
  const privacy::Event planned =
      privacy::Composed{{mechanism::permute_and_flip_event(epsilon, adjacency),
                         mechanism::top_event(3, epsilon, adjacency),
                         mechanism::sparse_vector_event(popular, adjacency),
                         mechanism::noisy_max_event(noise, epsilon, adjacency)}};
  accounting::MemoryBudget budget(privacy::Guarantee{2, 1e-6, adjacency});
  auto permit = budget.reserve(planned, privacy::Delta{1e-6});

  // Each release has noise of its own address.
  const auto source = random::SecureSource::create();
  const auto best = mechanism::select_permute_and_flip(votes, epsilon, {{0, 0}, *source, permit});
  const auto three = mechanism::select_top(votes, 3, epsilon, {{1, 0}, *source, permit});
  const auto above = mechanism::release_sparse_vector(votes, popular, {{2, 0}, *source, permit});
  const auto forecasts = mechanism::generalized_scores(errors, moves, epsilon, 0.05, adjacency);
  const auto forecast =
      mechanism::select_noisy_max(noise, forecasts, epsilon, {{3, 0}, *source, permit});
  permit.commit();

  const auto name = [&](std::int64_t index) { return products[static_cast<std::size_t>(index)]; };
  std::cout << "most wanted: " << name(best.value()) << "\nfirst three:";
  for (const auto index : three.value()) std::cout << ' ' << name(index);
  std::cout << "\nwanted by about 300 and more:";
  for (const auto& found : above.value().positives) std::cout << ' ' << name(found.index);
  std::cout << "\nbest forecast: " << forecast.value() + 1;
  std::cout << "\nepsilon " << permit.guarantee().epsilon << " at delta "
            << permit.guarantee().delta << '\n';
  return 0;
}
