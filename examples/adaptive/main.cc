// An analyst chooses each query after the answers to the earlier ones: what may be asked, and what
// has been spent so far.

#include <iostream>

#include "tacet/accounting/filter.h"

int main() {
  using namespace tacet::accounting;
  const auto adjacency = Adjacency::add_remove;
  const Delta delta{1e-6};

  // A cap fixed before the first answer: queries are admitted for as long as they fit.
  const double cap = 0.5;
  auto filter = Filter::zcdp(cap, adjacency);
  // Without a cap: a bound that holds wherever the analyst stops.
  Odometer odometer(0.01, delta, adjacency);

  int admitted = 0;
  for (double noise = 20; filter.admit(Gaussian{noise}); ++admitted) {
    odometer.record(Gaussian{noise});
    noise *= 0.9;  // the last answer asks for a sharper one
  }
  std::cout << admitted << " queries were admitted and spent " << filter.spent() << " of " << cap
            << ", epsilon " << zcdp_epsilon(cap, delta) << " at delta " << delta.value()
            << "\nwithout a cap the epsilon shown would be " << odometer.epsilon() << '\n';
  return 0;
}
