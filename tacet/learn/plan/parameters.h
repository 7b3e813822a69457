#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/learn/plan/range.h"

namespace tacet::learn {

enum class ParameterType { integer, real, text };

/// How a parameter bears on the guarantee.
enum class PrivacyRelevance {
  guarantee,  ///< part of the guarantee that is stated
  noise,      ///< decides, with the guarantee, how much noise is drawn
  utility,    ///< changes the result, never the guarantee
  none        ///< changes neither
};

/// A public parameter, of training or of another command. The command line, the Python classes and
/// the reference are made from tables of these, so each is declared once. The bindings of
/// its reader say where its value goes (learn/plan/binding.h).
struct Parameter {
  std::string_view name;  ///< as an option: `name`
  ParameterType type;
  Range range;
  std::string_view default_value;  ///< in words
  std::string_view help;           ///< one sentence
  PrivacyRelevance relevance;
  std::string_view unit = {};  ///< what is counted or measured, `seconds`; empty: a pure number
};

/// Every parameter of `tacet train` and `tacet plan`, in the order of the help page.
[[nodiscard]] std::span<const Parameter> parameters();

/// The row of that name; nullptr when there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name,
                                              std::span<const Parameter> table = parameters());

/// UsageError, which names the parameter, what was given and what is allowed, for a value that is
/// not of the parameter's type or not in its range.
void check_value(const Parameter& parameter, std::string_view text);

/// Values as texts, by the name of the parameter.
using OptionValues = std::map<std::string, std::string, std::less<>>;

/// UsageError for a name that no row has, and for a value that check_value refuses.
void check_values(std::span<const Parameter> table, const OptionValues& values);

/// Values of parameters() that a user gave, checked one by one. Absent means the default. Not for
/// several threads at once.
class ParameterValues {
 public:
  /// UsageError for an unknown name or a value that is not allowed.
  void set(std::string_view name, std::string value);

  [[nodiscard]] bool given(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::optional<double> real(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] const OptionValues& all() const { return values_; }

 private:
  OptionValues values_;
};

/// A number written in full: `1e-5`, `0.5`, `inf`. UsageError that names the parameter otherwise.
[[nodiscard]] double parse_real(std::string_view parameter, std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view parameter, std::string_view text);
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);

/// Whether a list of words with blanks between them has this one.
[[nodiscard]] bool has_word(std::string_view words, std::string_view word);

/// `auto` and the names of all methods, in the order of the help page; learn/method.cc lists them.
[[nodiscard]] std::vector<std::string> method_words();

}  // namespace tacet::learn
