// What would it cost to release 300 noisy averages of the same records?

#include <iostream>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/version.h"
#include "tacet/privacy/event.h"

int main() {
  using namespace tacet::accounting;
  using namespace tacet::privacy;
  const Event event = Repeated{.count = 300, .base = Gaussian{.noise_multiplier = 40.0}};
  const Guarantee guarantee = account(event, Adjacency::add_remove, Delta{1e-5});
  std::cout << "tacet " << tacet::base::version << '\n'
            << "epsilon " << guarantee.epsilon << " at delta " << guarantee.delta << '\n'
            << "noise for epsilon 1: " << gaussian::sigma_for(1.0, Epsilon{1.0}, Delta{1e-5})
            << " times the bound of one record\n";
  return 0;
}
