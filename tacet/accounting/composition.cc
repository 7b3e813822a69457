#include "tacet/accounting/composition.h"

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

}  // namespace tacet::accounting
