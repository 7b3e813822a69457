#include "tacet/accounting/loss/list_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::unit_roundoff;

constexpr double max_sums = 4096;
/// Masses are products of at most this many factors, each with an error of 32 roundings.
constexpr double max_uses = 100;
/// More than the total mass that is lost because single masses are too small for a double.
constexpr double lost = 1e-250;

/// In how many ways `count` uses share the losses of a list.
double ways(double count, std::size_t losses) {
  double result = 1;
  for (std::size_t i = 1; i < losses; ++i) {
    result *= (count + static_cast<double>(i)) / static_cast<double>(i);
    if (result > 2 * max_sums) break;
  }
  return result;
}

}  // namespace

std::optional<ListSum> ListSum::of(std::span<const Component> components) {
  double count = 1;
  double uses = 0;
  for (const auto& component : components) {
    const auto atoms = component.pair->list();
    const auto finite = [](const pairs::Atom& atom) { return std::isfinite(atom.loss); };
    if (component.below || atoms.empty() || !std::all_of(atoms.begin(), atoms.end(), finite)) {
      return std::nullopt;
    }
    uses += static_cast<double>(component.count);
    count *= ways(static_cast<double>(component.count), atoms.size());
    if (!(uses <= max_uses && count <= max_sums)) return std::nullopt;
  }
  ListSum result;
  double log_finite = 0;
  double reach = 0;
  for (const auto& component : components) {
    const auto times = static_cast<double>(component.count);
    log_finite += times * std::log1p(-component.pair->infinite_mass());
    reach +=
        times * std::max(std::fabs(component.pair->lowest()), std::fabs(component.pair->highest()));
    result.add(component);
  }
  result.infinite_ = -std::expm1(log_finite);
  // 32 roundings for each factor and as many for forming it; one each for the sum of all masses.
  result.slack_ = 64 * unit_roundoff * (uses + 2) + unit_roundoff * count;
  // The error of a pair's own losses, and of adding them up.
  result.loss_error_ = numeric::ulps(16) * uses + numeric::ulps(8) * reach;
  return result;
}

void ListSum::add(const Component& component) {
  const auto atoms = component.pair->list();
  const auto before = std::move(sums_);
  sums_.clear();
  struct Share {
    std::size_t atom;
    std::int64_t left;
    double loss;
    double p;
  };
  for (const auto& sum : before) {
    std::vector<Share> open{{0, component.count, sum.loss, sum.p}};
    while (!open.empty()) {
      const auto share = open.back();
      open.pop_back();
      const auto& atom = atoms[share.atom];
      const auto left = static_cast<double>(share.left);
      if (share.atom + 1 == atoms.size()) {
        sums_.push_back({share.loss + left * atom.loss, share.p * std::pow(atom.p, left)});
        continue;
      }
      double choices = 1;
      for (std::int64_t k = 0; k <= share.left; ++k) {
        const auto taken = static_cast<double>(k);
        open.push_back({share.atom + 1, share.left - k, share.loss + taken * atom.loss,
                        share.p * choices * std::pow(atom.p, taken)});
        choices *= (left - taken) / (taken + 1);
      }
    }
  }
}

double ListSum::delta(double eps, End end) const {
  const double side = end == End::above ? 1 : -1;
  double finite = 0;
  for (const auto& sum : sums_) {
    const double excess = sum.loss - eps + side * loss_error_;
    if (excess > 0) finite -= sum.p * std::expm1(-excess);
  }
  return std::max(0.0, (finite + infinite_) * (1 + side * slack_) + side * lost);
}

std::optional<Ends> ListSum::log_delta(double eps) const {
  const Ends ends{std::log(delta(eps, End::below)),
                  std::log(std::min(1.0, delta(eps, End::above)))};
  return ends.upper - ends.lower < 1e-6 ? std::optional(ends) : std::nullopt;
}

std::optional<Ends> ListSum::epsilon(double log_delta) const {
  const double target = std::exp(log_delta) * (1 - 4 * unit_roundoff * (1 + std::fabs(log_delta)));
  const double beyond = std::exp(log_delta) * (1 + 4 * unit_roundoff * (1 + std::fabs(log_delta)));
  const auto largest = std::max_element(sums_.begin(), sums_.end(),
                                        [](const Sum& a, const Sum& b) { return a.loss < b.loss; });
  double high = std::max(0.0, largest->loss + 2 * loss_error_);
  if (delta(high, End::above) > target) return std::nullopt;
  // delta falls as eps grows. The smallest eps known to suffice, and the largest known not to.
  double low = 0;
  const auto halve = [&](double from, double to, const auto& is_enough) {
    for (int i = 0; i < 60 && to - from > 1e-14 * to; ++i) {
      const double middle = 0.5 * (from + to);
      (is_enough(middle) ? to : from) = middle;
    }
    return std::pair(from, to);
  };
  if (delta(0, End::above) <= target) return Ends{0, 0};
  const double upper =
      halve(low, high, [&](double e) { return delta(e, End::above) <= target; }).second;
  if (delta(0, End::below) < beyond) return Ends{0, upper};
  const double lower =
      halve(low, upper, [&](double e) { return delta(e, End::below) < beyond; }).first;
  return Ends{lower, upper};
}

}  // namespace tacet::accounting::pld
