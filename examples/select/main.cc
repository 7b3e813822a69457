// What do most customers ask for? Their votes are private, the products are public.

#include <iostream>
#include <string>
#include <vector>

#include "tacet/tacet.h"

int main() {
  using namespace tacet;
  const std::vector<std::string> products{"bread", "cheese", "fish",  "herbs",
                                          "honey", "milk",   "pears", "rice"};
  // A customer has one vote: one customer more lets one count grow by 1 and no count fall.
  const auto adjacency = privacy::Adjacency::add_remove;
  const auto votes = api::Scores::integers({812, 790, 120, 35, 410, 805, 260, 98}, 1,
                                           api::Movement::one_way, adjacency);

  // How far each of three forecasts was off, summed over customers. A customer moves the first by 1
  // at most and the last, which is finer, by 4: made comparable by generalized().
  const std::vector<double> errors{905, 430, 420};
  const std::vector<double> moves{1, 2, 4};

  // What is going to be released, what that costs, and a permit for it: all before a vote is read.
  const privacy::Epsilon epsilon{0.25};
  const api::SparseVector popular{.threshold = 300, .max_positives = 5, .epsilon = epsilon};
  const privacy::Event planned = privacy::Composed{
      {api::selection_event(epsilon, adjacency), api::top_event(3, epsilon, adjacency),
       api::sparse_vector_event(popular, adjacency), api::noisy_max_event(epsilon, adjacency)}};
  accounting::MemoryBudget budget(privacy::Guarantee{2, 1e-6, adjacency});
  auto permit = budget.reserve(planned, privacy::Delta{1e-6});

  api::Releases releases(permit);
  const auto best = releases.select(votes, epsilon);
  const auto three = releases.top(votes, 3, epsilon);
  const auto above = releases.sparse_vector(votes, popular);
  const auto forecasts = api::Scores::generalized(errors, moves, epsilon, 0.05, adjacency);
  const auto forecast = releases.noisy_max(forecasts, epsilon);
  permit.commit();

  const auto name = [&](std::int64_t index) { return products[static_cast<std::size_t>(index)]; };
  std::cout << "most wanted: " << name(best) << "\nfirst three:";
  for (const auto index : three) std::cout << ' ' << name(index);
  std::cout << "\nwanted by about 300 and more:";
  for (const auto& found : above) std::cout << ' ' << name(found.index);
  std::cout << "\nbest forecast: " << forecast + 1;
  std::cout << "\nepsilon " << permit.guarantee().epsilon << " at delta "
            << permit.guarantee().delta << '\n';
  return 0;
}
