#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/privacy/event.h"
#include "tacet/privacy/receipt.h"

/// From the parameters of a receipt back to the events of its method.
namespace tacet::learn::internal {

/// A contradiction within a receipt: a DataError in words.
[[noreturn]] void contradiction(const std::string& what);

/// The parameters of a receipt; remembers which were looked at.
class Parameters {
 public:
  explicit Parameters(const std::string& text) : json_(nlohmann::json::parse(text)) {}

  [[nodiscard]] bool has(const std::string& name) const { return json_.contains(name); }
  double real(const std::string& name) {
    const auto& value = at(name);
    if (!value.is_number()) contradiction(fmt::format("the parameter {} is no number", name));
    return value.get<double>();
  }
  std::int64_t count(const std::string& name) {
    const auto& value = at(name);
    if (!value.is_number_integer())
      contradiction(fmt::format("the parameter {} is no whole number", name));
    return value.get<std::int64_t>();
  }
  std::string text(const std::string& name) {
    const auto& value = at(name);
    if (!value.is_string()) contradiction(fmt::format("the parameter {} is no text", name));
    return value.get<std::string>();
  }
  /// A fault unless the parameter, where it is there, is `expected`.
  template <typename T>
  void expect(const std::string& name, const T& expected, std::string_view whose) {
    if (!has(name)) return;
    if (at(name) == nlohmann::json(expected)) return;
    contradiction(fmt::format("the parameter {} is {}, but {} {}", name, at(name).dump(), whose,
                              nlohmann::json(expected).dump()));
  }

  [[nodiscard]] const std::set<std::string>& used() const { return used_; }
  [[nodiscard]] std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : json_.items()) {
      if (!used_.contains(name)) names.push_back(name);
    }
    return names;
  }

 private:
  const nlohmann::json& at(const std::string& name) {
    if (!has(name)) contradiction(fmt::format("the parameter {} is missing", name));
    used_.insert(name);
    return json_.at(name);
  }

  nlohmann::json json_;
  std::set<std::string> used_;
};

/// What a method's parameters lead to. `own` is what the receipt says that the method released:
/// numbers that are no parameters are taken from there. Errors where the parameters make no sense.
using EventsOf = privacy::Event (*)(const privacy::Receipt& receipt, Parameters& parameters,
                                    const privacy::Event& own);

/// The one for this algorithm; nullptr where it is not known.
[[nodiscard]] EventsOf events_of(std::string_view algorithm);

/// Whether both release the same as often.
[[nodiscard]] bool same_releases(const privacy::Event& one, const privacy::Event& other);

}  // namespace tacet::learn::internal
