#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "tacet/privacy/event_kinds.h"

/// Events describe what was released. Accountants compute its cost from nothing else.
///
/// Example:
///
///     const privacy::Event step = privacy::PoissonSampled{0.01, privacy::Gaussian{1.1}};
///     const privacy::Event run = privacy::Repeated{.count = 300, .base = step};
///     const std::string json = privacy::event_to_json(run);
namespace tacet::privacy {

namespace internal {
template <typename Kind, typename Variant>
struct IsAlternative;
template <typename Kind, typename... Kinds>
struct IsAlternative<Kind, std::variant<Kinds...>>
    : std::bool_constant<(std::is_same_v<Kind, Kinds> || ...)> {};
}  // namespace internal

/// What a release cost: a small tree with value semantics. Constructing one checks its ranges; a
/// violation is a UsageError that names the field.
class Event {
 public:
  /// The kinds of events.
  using Node = std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, PureDp,
                            ApproximateDp, BoundedRange, ScoreSelection, Zcdp, Profile,
                            ObjectivePerturbation, ShuffledLocal, PoissonSampled, FixedSizeSampled,
                            Partitioned, Composed, Repeated, RandomlyRepeated>;

  template <typename Kind>
  requires internal::IsAlternative<Kind, Node>::value Event(
      Kind node)  // NOLINT(google-explicit-constructor): every kind is an event
      : node_(std::move(node)) {
    check();
  }
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();

  [[nodiscard]] const Node& node() const { return node_; }
  template <typename Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&node_);
  }
  friend bool operator==(const Event& left, const Event& right);

 private:
  void check() const;

  Node node_;
};

template <typename Kind>
requires std::is_aggregate_v<Kind> EventBox::EventBox(Kind kind)
    : EventBox(Event(std::move(kind))) {}

/// The kind's name in the JSON form ("gaussian", "poisson_sampled", ...).
[[nodiscard]] std::string kind_name(const Event& event);

/// Nothing was released: costs nothing.
[[nodiscard]] Event no_event();

/// JSON form, version 1. Infinity is written "inf".
[[nodiscard]] std::string event_to_json(const Event& event, int indent = -1);

/// Reads the JSON form strictly. A DataError, which says where, for an unknown kind, version or
/// key; a missing or repeated key; a value out of range; a text over max_event_bytes; and a tree
/// deeper than max_event_depth or with more than max_event_nodes nodes.
[[nodiscard]] Event event_from_json(std::string_view text);

inline constexpr std::size_t max_event_bytes = std::size_t{1} << 20;
inline constexpr int max_event_depth = 32;
inline constexpr int max_event_nodes = 20000;

}  // namespace tacet::privacy
