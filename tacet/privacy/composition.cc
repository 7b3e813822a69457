#include "tacet/privacy/composition.h"

#include "tacet/privacy/accountant.h"

namespace tacet::privacy {

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

}  // namespace tacet::privacy
