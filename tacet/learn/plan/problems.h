#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tacet/data/schema/schema.h"
#include "tacet/model/loss/loss.h"

/// The problems for which an algorithm is made, as data that refusals, help, the table in
/// docs/methods/README.md and `auto` read.
namespace tacet::learn {

/// What a model predicts.
enum class TargetKind : std::uint8_t { two_classes, several_classes, number, probability, count };

inline constexpr std::initializer_list<TargetKind> every_target_kind{
    TargetKind::two_classes, TargetKind::several_classes, TargetKind::number,
    TargetKind::probability, TargetKind::count};

[[nodiscard]] TargetKind kind_of(const data::Target& target);

/// "two classes", "several classes", "a number", "a probability" or "a count".
[[nodiscard]] std::string_view to_string(TargetKind kind);

class TargetSet {
 public:
  constexpr TargetSet(std::initializer_list<TargetKind> members) {
    for (const auto member : members) bits_ |= bit(member);
  }
  [[nodiscard]] constexpr bool has(TargetKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr unsigned bit(TargetKind kind) { return 1U << static_cast<unsigned>(kind); }

  unsigned bits_ = 0;
};

/// "two classes, a number or a count"
[[nodiscard]] std::string to_string(TargetSet set);

inline constexpr TargetSet every_target(every_target_kind);
/// Targets whose losses are functions of one margin each, without further constants.
inline constexpr TargetSet classes_and_numbers{TargetKind::two_classes, TargetKind::several_classes,
                                               TargetKind::number};
inline constexpr TargetSet one_output{TargetKind::two_classes, TargetKind::number};

/// The problems of an algorithm: kinds of targets, and the losses that it accepts for them.
struct Problems {
  TargetSet targets;
  /// By name; empty: every loss for the target that is a function of one margin.
  std::span<const std::string_view> losses = {};
  std::string_view why_no_other_loss = {};  ///< for people, if `losses` is not empty
  bool softmax = false;  ///< also accepts the loss of the margins of several classes together
  /// also accepts a custom loss of a program, about which nothing is proved
  bool custom_loss = false;
  bool complete_cases = false;  ///< records of a class that the schema does not list are left out

  [[nodiscard]] bool takes(const model::Loss& loss) const;
};

}  // namespace tacet::learn
