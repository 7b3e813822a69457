// What would it cost to release 300 noisy averages of the same records?

#include <iostream>

#include "tacet/accounting/accountant.h"
#include "tacet/base/version.h"

int main() {
  using namespace tacet::accounting;
  using namespace tacet::privacy;
  const Event event = Repeated{.count = 300, .base = Gaussian{.noise_multiplier = 40.0}};
  const Guarantee guarantee = account(event, Adjacency::add_remove, Delta{1e-5});
  std::cout << "tacet " << tacet::base::version << '\n'
            << "epsilon " << guarantee.epsilon << " at delta " << guarantee.delta << '\n';
  return 0;
}
