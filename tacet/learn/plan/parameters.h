#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacet::learn {

enum class ParameterType { integer, real, text };

/// How a parameter bears on the guarantee.
enum class PrivacyRelevance {
  guarantee,  ///< part of the guarantee that is stated
  noise,      ///< decides, with the guarantee, how much noise is drawn
  utility,    ///< changes the result, never the guarantee
  none        ///< changes neither
};

/// A public parameter of training. The command line, the Python estimators and the reference page
/// are made from this table, so each is declared here and nowhere else.
struct Parameter {
  std::string_view name;  ///< as an option: `--name`
  ParameterType type;
  std::string_view range;          ///< in words
  std::string_view default_value;  ///< in words
  std::string_view help;           ///< one line
  PrivacyRelevance relevance;
};

/// Every parameter of `tacet train` and `tacet plan`, in the order of the help page.
[[nodiscard]] std::span<const Parameter> parameters();

/// The entry of that name; nullptr when there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name);

/// Values given by a user, by parameter name, as text. Absent means the default.
class ParameterValues {
 public:
  /// UsageError for an unknown name or a value that is not of the parameter's type.
  void set(std::string_view name, std::string value);

  [[nodiscard]] bool given(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::optional<double> real(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A number written in full: `1e-5`, `0.5`, `inf`. UsageError that names the parameter otherwise.
[[nodiscard]] double parse_real(std::string_view parameter, std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view parameter, std::string_view text);

}  // namespace tacet::learn
