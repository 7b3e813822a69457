#include "tacet/accounting/shapes/grouping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/sampling.h"

namespace tacet::accounting::internal {
namespace {

/// The facts by which a sample, or the event that reads it, is compared. Of two parts of the same
/// shape, the one with the larger measures costs more.
struct Shape {
  std::size_t sample = 0;    ///< the sample's kind, 0 for none
  std::size_t leaf = 0;      ///< the kind of the event that reads it
  int stated = -1;           ///< the adjacency of a stated guarantee
  std::int64_t records = 1;  ///< per unit in the sample
  auto operator<=>(const Shape&) const = default;
};
enum Measure : std::size_t { rate, strength, second, measures };
using Measures = std::array<double, measures>;

struct Simple {
  Shape shape;
  Measures of{1, 1, 1};
};

/// Computes the measures of a part that can be compared with others of its shape; false for all
/// others.
struct MeasureBlock {
  Simple& out;

  bool noise(double multiplier) const {
    // The negative and not the inverse: two different multipliers may have the same inverse.
    out.of[strength] = -multiplier;
    return multiplier > 0 && std::isfinite(multiplier);
  }
  bool guarantee(double epsilon, Adjacency adjacency) const {
    out.of[strength] = epsilon;
    out.shape.stated = static_cast<int>(adjacency);
    return epsilon > 0 && std::isfinite(epsilon);
  }
  bool operator()(const Gaussian& e) const { return noise(e.noise_multiplier); }
  bool operator()(const Laplace& e) const { return noise(e.noise_multiplier); }
  bool operator()(const PureDp& e) const { return guarantee(e.epsilon, e.adjacency); }
  bool operator()(const BoundedRange& e) const { return guarantee(e.epsilon, e.adjacency); }
  bool operator()(const Zcdp& e) const { return guarantee(e.rho, e.adjacency); }
  bool operator()(const ApproximateDp& e) const {
    out.of[second] = e.delta;
    return e.delta > 0 && e.delta < 1 && guarantee(e.epsilon, e.adjacency);
  }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

std::optional<Simple> measured(const Event& event) {
  Simple simple;
  const Event* leaf = &event;
  if (const auto* sampled = event.as<PoissonSampled>()) {
    simple.shape.sample = event.node().index();
    simple.of[rate] = sampled->rate;
    simple.shape.records = sampled->max_records_per_unit;
    leaf = &*sampled->base;
  } else if (const auto* subset = event.as<FixedSizeSampled>()) {
    simple.shape.sample = event.node().index();
    simple.of[rate] = sampled_fraction(*subset);
    leaf = &*subset->base;
  }
  simple.shape.leaf = leaf->node().index();
  if (!(simple.of[rate] > 0) || !std::visit(MeasureBlock{simple}, leaf->node())) {
    return std::nullopt;
  }
  return simple;
}

struct Part {
  Event event;
  std::int64_t count;
};

const Event& leaf_of(const Event& event) {
  if (const auto* sampled = event.as<PoissonSampled>()) return *sampled->base;
  if (const auto* subset = event.as<FixedSizeSampled>()) return *subset->base;
  return event;
}

/// The largest measures of a group, and the part that has each.
struct Group {
  Measures largest;
  std::array<const Event*, measures> whose;
  std::int64_t count;

  Group(const Simple& one, const Part& part)
      : largest(one.of), whose{&part.event, &part.event, &part.event}, count(part.count) {}
  [[nodiscard]] bool take(const Simple& one, const Part& part) {
    for (std::size_t i = 0; i < measures; ++i) {
      if (one.of[i] > largest[i]) {
        largest[i] = one.of[i];
        whose[i] = &part.event;
      }
    }
    return !__builtin_add_overflow(count, part.count, &count);
  }
  [[nodiscard]] Event event() const {
    Event leaf = leaf_of(*whose[strength]);
    if (const auto* approximate = leaf.as<ApproximateDp>()) {
      leaf = ApproximateDp{approximate->epsilon, largest[second], approximate->adjacency};
    }
    if (const auto* sampled = whose[rate]->as<PoissonSampled>()) {
      return PoissonSampled{sampled->rate, std::move(leaf), sampled->max_records_per_unit};
    }
    if (const auto* subset = whose[rate]->as<FixedSizeSampled>()) {
      return FixedSizeSampled{subset->sample_size, subset->population, std::move(leaf)};
    }
    return leaf;
  }
};

using Key = std::pair<Shape, Measures>;

/// The place of each measure on a logarithmic grid; the measure itself for width 0.
Measures rounded(const Measures& of, double width) {
  Measures key = of;
  if (width == 0) return key;
  for (auto& one : key) one = std::floor(std::log(std::fabs(one)) / width);
  return key;
}

/// Groups the parts that can be compared; false if they would occur more than 2^63 times.
bool grouped(const std::vector<Part>& parts, const std::vector<Simple>& simple, double width,
             std::map<Key, Group>& groups) {
  groups.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Key key{simple[i].shape, rounded(simple[i].of, width)};
    const auto found = groups.find(key);
    if (found == groups.end()) {
      groups.emplace(key, Group(simple[i], parts[i]));
    } else if (!found->second.take(simple[i], parts[i])) {
      return false;
    }
  }
  return true;
}

/// Replaces `parts` by about `max` groups at most; false if that would not be fewer.
bool group(std::vector<Part>& parts, std::size_t max) {
  std::vector<Part> like;
  std::vector<Part> others;
  std::vector<Simple> simple;
  for (auto& part : parts) {
    if (const auto one = measured(part.event)) {
      simple.push_back(*one);
      like.push_back(std::move(part));
    } else {
      const auto end = others.begin() + static_cast<std::ptrdiff_t>(std::min(others.size(), max));
      const auto same = std::find_if(others.begin(), end,
                                     [&](const Part& other) { return other.event == part.event; });
      if (same == end || __builtin_add_overflow(same->count, part.count, &same->count)) {
        others.push_back(std::move(part));
      }
    }
  }
  const auto left = std::max<std::size_t>(max > others.size() ? max - others.size() : 1, 1);
  std::map<Key, Group> groups;
  constexpr double finest = 0x1p-8;
  constexpr double coarsest = 4096;  // wider than the logarithms of all doubles
  bool fine = grouped(like, simple, 0, groups);
  const auto different = groups.size();
  for (double width = finest; fine && groups.size() > left && width <= coarsest; width *= 2) {
    fine = grouped(like, simple, width, groups);
  }
  parts = std::move(others);
  if (!fine) {
    for (auto& part : like) parts.push_back(std::move(part));
    return false;
  }
  for (const auto& [key, one] : groups) parts.push_back({one.event(), one.count});
  return groups.size() < different;
}

/// Coarsens each part, and then their list; false if nothing changed.
bool coarsen(std::vector<Part>& parts, std::size_t max) {
  bool changed = false;
  for (auto& part : parts) {
    if (auto inner = coarsened(part.event, max)) {
      part.event = std::move(*inner);
      changed = true;
    }
  }
  if (parts.size() > max && group(parts, max)) changed = true;
  return changed;
}

std::size_t leaves(const Event& whole) {
  return fold<std::size_t>(whole, [](const Event& event, std::span<const std::size_t> within) {
    if (within.empty() && event.as<Composed>() == nullptr) return std::size_t{1};
    return std::accumulate(within.begin(), within.end(), std::size_t{0});
  });
}

}  // namespace

std::optional<Event> coarsened(const Event& event, std::size_t max) {
  if (leaves(event) <= max) return std::nullopt;
  if (event.as<Composed>() != nullptr || event.as<Repeated>() != nullptr) {
    std::vector<Part> parts;
    const bool counted = each_release(event, [&](const Event& part, std::int64_t times) {
      parts.push_back({part, times});
      return true;
    });
    if (!counted || !coarsen(parts, max)) return std::nullopt;
    Composed all;
    for (const auto& part : parts) all.parts.emplace_back(Repeated{part.count, part.event});
    return all;
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    std::vector<Part> parts;
    for (const auto& part : blocks->parts) parts.push_back({part, 1});
    if (!coarsen(parts, max)) return std::nullopt;
    // Blocks are parallel, so a group counts once.
    Partitioned fewer{blocks->assignment, {}};
    for (const auto& part : parts) fewer.parts.push_back(part.event);
    return fewer;
  }
  // In a sample or a selection, the event that it reads is coarsened.
  bool changed = false;
  auto fewer = with_inside(event, [&](const Event& base) {
    auto inner = coarsened(base, max);
    changed = changed || inner;
    return inner ? std::move(*inner) : base;
  });
  if (changed) return fewer;
  return std::nullopt;
}

double work_of_reading(const Event& whole) {
  return fold<double>(whole, [](const Event& event, std::span<const double> within) {
    constexpr double part = 2e4;
    constexpr double search = 2e7;
    const auto* selection = event.as<RandomlyRepeated>();
    const bool searched = (selection != nullptr && selection->cap > 0) ||
                          event.as<ShuffledLocal>() != nullptr ||
                          event.as<ObjectivePerturbation>() != nullptr;
    return std::accumulate(within.begin(), within.end(), searched ? search : part);
  });
}

double work_of_pair(const Event& event) {
  if (event.as<ShuffledLocal>() != nullptr) return 5e7;
  if (event.as<ObjectivePerturbation>() != nullptr) return 1e8;
  if (event.as<DiscreteGaussian>() != nullptr) return 1e7;
  if (const auto* sampled = event.as<PoissonSampled>()) {
    // A loss distribution takes about 10^5 masses, and each is a sum over the likely numbers of
    // records.
    constexpr std::int64_t max_parts = 128;
    return 1e6 * static_cast<double>(std::min(sampled->max_records_per_unit, max_parts));
  }
  return 1e4;
}

}  // namespace tacet::accounting::internal
