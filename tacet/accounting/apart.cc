#include "tacet/accounting/apart.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using numeric::infinity;

// with more parts, equal shares of delta prove next to nothing
constexpr std::size_t max_apart = 8;

bool has_own_analysis(const Event& event) {
  return event.as<RandomlyRepeated>() != nullptr || event.as<ShuffledLocal>() != nullptr ||
         event.as<ObjectivePerturbation>() != nullptr;
}

struct Parts {
  std::vector<Event> own;  ///< each needs its own analysis
  std::vector<Event> others;
};

void take(const Event& event, Parts& parts) {
  if (const auto* composed = event.as<Composed>()) {
    for (const auto& part : composed->parts) take(part, parts);
  } else {
    (has_own_analysis(event) ? parts.own : parts.others).push_back(event);
  }
}

/// The sum of epsilons if the other parts get `share` of delta. The parts with an analysis of their
/// own divide the rest equally.
class Division {
 public:
  Division(Parts parts, double delta, const EpsilonOf& epsilon_of)
      : parts_(std::move(parts)), delta_(delta), epsilon_of_(epsilon_of) {
    others_ = parts_.others.size() == 1 ? parts_.others.front() : Event(Composed{parts_.others});
  }

  [[nodiscard]] double at(double share) const {
    // Rounded down by more than the subtraction and the division can round up.
    constexpr double spare = numeric::down_ulps(4);
    const double each = (delta_ - share) / static_cast<double>(parts_.own.size()) * spare;
    if (!(each >= 0)) return infinity;
    double sum = parts_.others.empty() ? 0 : epsilon_of_(others_, share);
    for (const auto& part : parts_.own) {
      if (!(sum < infinity)) break;
      sum = numeric::add_up(sum, epsilon_of_(part, each));
    }
    return sum;
  }
  [[nodiscard]] const Event& others() const { return others_; }

 private:
  Parts parts_;
  double delta_;
  const EpsilonOf& epsilon_of_;
  Event others_ = Composed{};
};

/// Tries shares of delta that are powers of 1/2, then values next to the best of them. The sum
/// changes slowly with the share, and any share proves something.
double searched(const Division& division, double delta) {
  constexpr int halvings = 6;
  double best = infinity;
  double exponent = 1;
  const auto attempt = [&](double at) {
    const double sum = division.at(delta * std::exp2(-at));
    if (!(sum < best)) return;
    best = sum;
    exponent = at;
  };
  for (int k = 1; k <= halvings; ++k) attempt(k);
  for (const double step : {0.5, 0.25}) {
    const double middle = exponent;
    attempt(middle - step);
    attempt(middle + step);
  }
  return best;
}

}  // namespace

double apart_epsilon(const Event& event, Adjacency adjacency, double delta,
                     const EpsilonOf& epsilon_of) {
  if (event.as<Composed>() == nullptr || !(delta > 0)) return infinity;
  Parts parts;
  take(event, parts);
  const auto own = parts.own.size();
  if (own == 0 || own > max_apart || own + parts.others.size() < 2) return infinity;
  const bool alone = parts.others.empty();
  const Division division(std::move(parts), delta, epsilon_of);
  if (alone) return division.at(0);
  const auto sums = basic_composition(division.others(), adjacency);
  double best = sums && sums->delta <= delta ? division.at(sums->delta) : infinity;
  // Pure parts need no delta, and with few of them a share of delta gains nothing.
  if (sums && sums->delta == 0) return best;
  return std::min(best, searched(division, delta));
}

}  // namespace tacet::accounting::internal
