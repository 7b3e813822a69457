#include "tacet/learn/plan/linear_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tacet/base/error.h"

namespace tacet::learn {
LinearOptions linear_options(const ParameterValues& values, privacy::Adjacency adjacency) {
  LinearOptions options;
  options.adjacency = adjacency;
  for (const auto& parameter : parameters()) {
    if (parameter.read != nullptr) parameter.read({parameter, values, options});
  }
  return options;
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

std::optional<std::string_view> given_beyond(const LinearOptions& options, std::string_view read) {
  for (const auto& parameter : parameters()) {
    const bool given = parameter.given != nullptr && parameter.given(options);
    if (given && !has_word(read, parameter.name)) return parameter.name;
  }
  return std::nullopt;
}

double default_delta(std::int64_t row_count) {
  const double bound = std::pow(static_cast<double>(row_count), -1.1);
  int exponent = -1;
  // Parsing the decimal text gives the double nearest to the power of ten, which pow may miss.
  while (std::stod(fmt::format("1e{}", exponent)) >= bound) --exponent;
  return std::stod(fmt::format("1e{}", exponent));
}

}  // namespace tacet::learn
