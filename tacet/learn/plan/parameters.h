#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

struct LinearOptions;
struct Reading;

/// A public parameter of training. The command line, the Python estimators and the reference page
/// are made from this table, so each is declared here and nowhere else.
struct Parameter {
  std::string_view name;  ///< as an option: `--name`
  ParameterType type;
  std::string_view range;          ///< in words
  std::string_view default_value;  ///< in words
  std::string_view help;           ///< one line
  PrivacyRelevance relevance;
  /// Reads the value into the options, with its default where none is given; UsageError where it is
  /// out of range. nullptr: it is the program's own.
  void (*read)(const Reading&);
  /// Whether options have another value than the default. nullptr: it has a meaning everywhere.
  bool (*given)(const LinearOptions&);
};

/// Every parameter of `tacet train` and `tacet plan`, in the order of the help page.
[[nodiscard]] std::span<const Parameter> parameters();

/// The entry of that name; nullptr when there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name);

/// Values given by a user, by parameter name, as text. Absent means the default. Not for several
/// threads at once.
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

/// A parameter on its way from the values given into the options.
struct Reading {
  const Parameter& parameter;
  const ParameterValues& values;
  LinearOptions& options;

  [[nodiscard]] std::optional<std::string> text() const { return values.text(parameter.name); }
  /// UsageError unless the number given, if one is, `holds`; `allowed` is its range in words where
  /// that is not the parameter's.
  [[nodiscard]] std::optional<double> real(bool (*holds)(double),
                                           std::string_view allowed = {}) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::int64_t lowest,
                                                    std::int64_t highest) const;
  /// Which of these words was given; the first when none was.
  [[nodiscard]] std::size_t word(std::initializer_list<std::string_view> words) const;
};

/// A number written in full: `1e-5`, `0.5`, `inf`. UsageError that names the parameter otherwise.
[[nodiscard]] double parse_real(std::string_view parameter, std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view parameter, std::string_view text);

}  // namespace tacet::learn
