#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/learn/plan/range.h"
#include "tacet/model/loss/loss.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::learn {

enum class ParameterType { integer, real, text };

/// How a parameter bears on the guarantee.
enum class PrivacyRelevance {
  guarantee,  ///< a part of the stated guarantee
  noise,      ///< decides, with the guarantee, the amount of noise
  utility,    ///< changes the result but never the guarantee
  none        ///< changes neither
};

/// A public parameter, of training or of another command. The command line, the Python classes and
/// the reference are made from tables of these, so each is declared once. The bindings of
/// its reader say where its value goes (learn/plan/binding.h).
struct Parameter {
  std::string_view name;  ///< with hyphens, as in the option of the program
  ParameterType type;
  Range range;
  /// In words: first a value, if there is one; after a colon or semicolon its meaning, or when
  /// another value is used.
  std::string_view default_value;
  std::string_view help;  ///< one sentence
  PrivacyRelevance relevance;
  /// what is counted, or the unit, such as `seconds`; empty: a pure number
  std::string_view unit = {};
};

/// Every parameter of `tacet train` and `tacet plan`, in the order of the help page.
[[nodiscard]] std::span<const Parameter> parameters();

/// The row of that name; nullptr if there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name,
                                              std::span<const Parameter> table = parameters());

/// UsageError, which names the parameter, the given value and the allowed ones, for a value of
/// another type or out of range.
void check_value(const Parameter& parameter, std::string_view text);

/// Whether the text means the default: `auto`, `tight`, `0`.
[[nodiscard]] bool says_default(const Parameter& parameter, std::string_view text);

/// Values as texts, by the name of the parameter.
using OptionValues = std::map<std::string, std::string, std::less<>>;

/// UsageError for a name without a row, and for a value that check_value refuses.
void check_values(std::span<const Parameter> table, const OptionValues& values);

/// The value of a parameter, as a text that is read back to the same bits. A loss may be a custom
/// loss of a program, which has no name.
class ParameterValue {
 public:
  ParameterValue(const char* text) : text_(text) {}             // NOLINT(*-explicit-*)
  ParameterValue(std::string text) : text_(std::move(text)) {}  // NOLINT(*-explicit-*)
  ParameterValue(std::string_view text) : text_(text) {}        // NOLINT(*-explicit-*)
  ParameterValue(double value);                                 // NOLINT(*-explicit-*)
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) ParameterValue(Integer value)
      : text_(std::to_string(value)) {}          // NOLINT(*-explicit-*)
  ParameterValue(privacy::Adjacency adjacency);  // NOLINT(*-explicit-*)
  ParameterValue(model::Loss loss);              // NOLINT(*-explicit-*)

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::optional<model::Loss>& loss() const { return loss_; }

 private:
  std::string text_;
  std::optional<model::Loss> loss_{};
};

/// A request for a training: values of parameters(), each of which is checked. Absent means the
/// default. Not for several threads at once.
///
///     ParameterValues asked{{"method", "gradient"}, {"epsilon", 1}, {"steps", 100}};
///     asked.set("loss", model::HuberLoss{0.5});
class ParameterValues {
 public:
  ParameterValues() = default;
  ParameterValues(std::initializer_list<std::pair<std::string_view, ParameterValue>> values);

  /// UsageError for an unknown name or a value that is not allowed. A loss brings its own numbers.
  void set(std::string_view name, const ParameterValue& value);
  void erase(std::string_view name);

  [[nodiscard]] bool given(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::optional<double> real(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] const OptionValues& all() const { return values_; }
  /// UsageError if it is not a loss, or has other numbers than the given ones.
  [[nodiscard]] std::optional<model::Loss> loss() const;

 private:
  OptionValues values_;
  std::optional<model::Loss> custom_loss_;
};

/// The loss by its name and its own numbers; absent if none is named. UsageError for a number
/// without a loss, and for a number that the loss does not have.
[[nodiscard]] std::optional<model::Loss> loss_of(const OptionValues& values);

/// UsageError if it is missing: no command has a default epsilon.
[[nodiscard]] double checked_epsilon(const OptionValues& values);

/// A number written in full: `1e-5`, `0.5`, `inf`. UsageError that names the parameter otherwise.
[[nodiscard]] double parse_real(std::string_view parameter, std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view parameter, std::string_view text);

/// `auto` and the names of all methods, in the order of the help page; learn/method.cc lists them.
[[nodiscard]] std::vector<std::string> method_words();

}  // namespace tacet::learn
