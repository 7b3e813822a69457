#include "tacet/privacy/event.h"

#include <fmt/format.h>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::privacy {

// These are compiled once, here. A variant of this many kinds compiles slowly, and nearly every
// file has an event.
Event::Event(const Event& other) = default;
Event::Event(Event&& other) noexcept = default;
Event& Event::operator=(const Event& other) = default;
Event& Event::operator=(Event&& other) noexcept = default;
Event::~Event() = default;
bool operator==(const Event& left, const Event& right) { return left.node_ == right.node_; }

EventBox::EventBox() : EventBox(no_event()) {}
EventBox::EventBox(Event event) : content_(std::make_unique<Event>(std::move(event))) {}
EventBox::EventBox(const EventBox& other) : content_(std::make_unique<Event>(*other.content_)) {}
EventBox::EventBox(EventBox&& other) noexcept = default;
EventBox& EventBox::operator=(EventBox other) noexcept {
  content_ = std::move(other.content_);
  return *this;
}
EventBox::~EventBox() = default;
bool operator==(const EventBox& left, const EventBox& right) { return *left == *right; }
bool operator==(const Partitioned& left, const Partitioned& right) = default;
bool operator==(const Composed& left, const Composed& right) = default;

namespace {

/// Checks the fields of one kind.
struct CheckField {
  const char* kind;

  template <typename Value>
  [[noreturn]] void refuse(const char* field, const std::string& allowed, Value given) const {
    throw base::UsageError("{}.{} must be {}, got {}", kind, field, allowed, given);
  }
  void operator()(const char* field, double value, const range::Range& range) const {
    if (!range.holds(value)) refuse(field, range.allowed, value);
  }
  void operator()(const char* field, std::int64_t value, const range::CountRange& range) const {
    if (value < range.min) refuse(field, fmt::format("{} or more", range.min), value);
    if (value > range.max) refuse(field, fmt::format("at most {}", range.max), value);
  }
  void operator()(const char* /*field*/, RepetitionLaw law) const {
    static_cast<void>(to_string(law));
  }
  template <typename Other>
  void operator()(const char* /*field*/, const Other& /*value*/) const {}
};

/// Refuses an event that reads more records from a sample of `size` than the sample holds.
void need_within_sample(const Event& event, std::int64_t size) {
  const auto need = [size](const char* field, std::int64_t count) {
    if (count <= size) return;
    throw base::UsageError("{} must be at most the {} records of the sample around it, got {}",
                           field, size, count);
  };
  if (const auto* sampled = event.as<FixedSizeSampled>()) {
    // The events inside were checked against this smaller sample already.
    return need("fixed_size_sampled.population", sampled->population);
  }
  if (const auto* local = event.as<ShuffledLocal>()) {
    return need("shuffled_local.reports", local->reports);
  }
  for (const auto& child : inside(event)) need_within_sample(child, size);
}

/// Refuses samples of units with several records inside an event that counts single records:
/// nothing is proved there.
void refuse_several_records(const char* kind, std::span<const Event> events) {
  const auto several = [](const Event& event) {
    const auto* sampled = event.as<PoissonSampled>();
    return sampled != nullptr && sampled->max_records_per_unit > 1;
  };
  for (const auto& event : events) {
    if (!holds_somewhere(event, several)) continue;
    throw base::UsageError(
        "{} counts single records, but holds a Poisson sample of units with several records "
        "(max_records_per_unit), for which nothing is proved there; take the sample alone",
        kind);
  }
}

/// Refuses events that count single records: they say nothing about a unit of several records.
void need_whole_units(const Event& event) {
  if (event.as<PoissonSampled>() != nullptr || event.as<FixedSizeSampled>() != nullptr ||
      event.as<Partitioned>() != nullptr || event.as<ShuffledLocal>() != nullptr ||
      event.as<ObjectivePerturbation>() != nullptr) {
    throw base::UsageError(
        "poisson_sampled.max_records_per_unit must be 1 around {}, for which nothing is proved "
        "about units of several records",
        kind_name(event));
  }
  for (const auto& child : inside(event)) need_whole_units(child);
}

/// Checks conditions that connect several fields of one kind.
struct CheckTogether {
  void operator()(const Profile& e) const {
    if (e.points.empty()) throw base::UsageError("profile.points must hold at least one point");
    const CheckField check{Profile::kind};
    double epsilon = -1;
    double delta = 2;
    for (const auto& point : e.points) {
      check("epsilon", point.epsilon, range::finite);
      check("delta", point.delta, range::probability);
      if (!(point.epsilon > epsilon) || !(point.delta < delta)) {
        throw base::UsageError("profile.points must have ascending epsilons and descending deltas");
      }
      epsilon = point.epsilon;
      delta = point.delta;
    }
  }
  void operator()(const PoissonSampled& e) const {
    if (e.max_records_per_unit > 1) need_whole_units(*e.base);
    refuse_several_records(PoissonSampled::kind, {&*e.base, 1});
  }
  void operator()(const FixedSizeSampled& e) const {
    if (e.sample_size > e.population) {
      throw base::UsageError(
          "fixed_size_sampled.sample_size must be at most the population {}, got {}", e.population,
          e.sample_size);
    }
    need_within_sample(*e.base, e.sample_size);
    refuse_several_records(FixedSizeSampled::kind, {&*e.base, 1});
  }
  void operator()(const Partitioned& e) const {
    if (e.parts.empty()) throw base::UsageError("partitioned.parts must not be empty");
    refuse_several_records(Partitioned::kind, e.parts);
  }
  template <typename Other>
  void operator()(const Other& /*event*/) const {}
};

}  // namespace

void Event::check() const {
  std::visit(
      [](const auto& e) {
        e.fields(e, CheckField{e.kind});
        CheckTogether{}(e);
      },
      node_);
}

const char* to_string(Assignment assignment) {
  return assignment == Assignment::by_position ? "by_position" : "by_record";
}

const char* to_string(RepetitionLaw law) {
  using enum RepetitionLaw;
  static constexpr auto names =
      base::names<RepetitionLaw>({{truncated_negative_binomial, "truncated_negative_binomial"},
                                  {poisson, "poisson"},
                                  {binomial, "binomial"}});
  return names.of(law);
}

std::string kind_name(const Event& event) {
  return std::visit([](const auto& e) { return e.kind; }, event.node());
}

Event no_event() { return Composed{{}}; }

std::optional<Adjacency> stated_adjacency(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Adjacency> {
        if constexpr (StatesGuarantee<std::decay_t<decltype(e)>>) return e.adjacency;
        return std::nullopt;
      },
      event.node());
}

std::span<const Event> inside(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::span<const Event> {
        if constexpr (HasBase<std::decay_t<decltype(e)>>) return {&*e.base, 1};
        if constexpr (HasParts<std::decay_t<decltype(e)>>) return e.parts;
        return {};
      },
      event.node());
}

}  // namespace tacet::privacy
