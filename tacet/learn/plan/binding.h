#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tacet/base/text.h"
#include "tacet/learn/plan/parameters.h"

/// Copies the values that a user gave into a struct of options. The list of bindings beside the
/// struct is the only place that says which parameters are read, and into which members.
///
///     struct CropOptions { std::optional<double> radius; };
///     constexpr std::array crop_bindings{bind<&CropOptions::radius>("radius")};
namespace tacet::learn {

/// The member for the value of a parameter. The text was checked against the parameter's row, so
/// `read` need not refuse what the range excludes.
template <typename Options>
struct Binding {
  std::string_view name;
  void (*read)(const std::string& text, Options& options);
  bool (*given)(const Options& options);  ///< whether the value differs from the default
};

namespace internal {

template <typename Value>
struct Unwrapped {
  using type = Value;
};
template <typename Value>
struct Unwrapped<std::optional<Value>> {
  using type = Value;
};

template <typename Value>
[[nodiscard]] Value value_of(const std::string& text) {
  if constexpr (std::same_as<Value, std::string>) {
    return text;
  } else if constexpr (std::same_as<Value, std::vector<std::string>>) {
    return base::split_at_commas(text);
  } else if constexpr (std::floating_point<Value>) {
    return parse_real("the value", text);
  } else {
    static_assert(std::integral<Value> && !std::same_as<Value, bool>);
    return static_cast<Value>(parse_integer("the value", text));
  }
}

template <auto member>
struct Member;
template <typename Options, typename Type, Type Options::*member>
struct Member<member> {
  using Of = Options;
  using Value = typename Unwrapped<Type>::type;
};

template <auto member>
[[nodiscard]] bool differs(const typename Member<member>::Of& options) {
  return options.*member != typename Member<member>::Of{}.*member;
}

}  // namespace internal

/// Uses its own reader, if the member is not simply the value.
template <auto member>
[[nodiscard]] constexpr auto bind(std::string_view name,
                                  void (*read)(const std::string& text,
                                               typename internal::Member<member>::Of& options)) {
  return Binding<typename internal::Member<member>::Of>{name, read, internal::differs<member>};
}

/// A number, a text, or texts separated by commas, as the type of the member says.
template <auto member>
[[nodiscard]] constexpr auto bind(std::string_view name) {
  using Of = typename internal::Member<member>::Of;
  using Value = typename internal::Member<member>::Value;
  return bind<member>(name, [](const std::string& text, Of& options) {
    options.*member = internal::value_of<Value>(text);
  });
}

/// A value of an enumeration by its names. Other words leave the member as it is.
template <auto member, const auto& names>
[[nodiscard]] constexpr auto bind(std::string_view name) {
  using Of = typename internal::Member<member>::Of;
  return bind<member>(name, [](const std::string& text, Of& options) {
    if (const auto found = names.find(text)) options.*member = *found;
  });
}

/// Reads the values that were given for the bound parameters.
template <typename Options, std::size_t count>
void read_bound(const std::array<Binding<Options>, count>& bindings, const OptionValues& values,
                std::type_identity_t<Options>& options) {
  for (const auto& binding : bindings) {
    const auto given = values.find(binding.name);
    if (given != values.end()) binding.read(given->second, options);
  }
}

/// The names of the parameters that lists of bindings read.
template <const auto&... lists>
inline constexpr auto bound_names = [] {
  std::array<std::string_view, (lists.size() + ... + 0)> names{};
  std::size_t place = 0;
  const auto add = [&](const auto& list) {
    for (const auto& binding : list) names.at(place++) = binding.name;
  };
  (add(lists), ...);
  return names;
}();

/// The first parameter of the lists that was given but is not in `read`. A run that reads only
/// those must refuse it.
template <const auto&... lists>
[[nodiscard]] std::optional<std::string_view> given_beyond(
    const auto& options, std::initializer_list<std::string_view> read) {
  std::optional<std::string_view> found;
  const auto look = [&](const auto& list) {
    for (const auto& binding : list) {
      const bool beyond = binding.given(options) && !std::ranges::count(read, binding.name);
      if (beyond && !found) found = binding.name;
    }
  };
  (look(lists), ...);
  return found;
}

}  // namespace tacet::learn
