#include "tacet/base/parameter_names.h"

#include <algorithm>

namespace tacet::base {
namespace {

bool is_first(char c) { return c >= 'a' && c <= 'z'; }

bool is_further(char c) { return is_first(c) || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

/// The spelling of the name between two backquotes, if it is the name of a parameter.
std::optional<std::string> spelled(std::string_view inside, const Spelling& spelling) {
  const auto equals = std::min(inside.find('='), inside.size());
  const auto name = inside.substr(0, equals);
  if (name.empty() || !is_first(name.front()) || !std::ranges::all_of(name, is_further)) return {};
  if (equals == inside.size()) return spelling(name, std::nullopt);
  const auto value = inside.substr(equals + 1);
  return value.empty() ? std::nullopt : spelling(name, value);
}

}  // namespace

std::string spell_parameters(std::string_view text, const Spelling& spelling) {
  std::string out;
  std::size_t at = 0;
  for (auto open = text.find('`'); open != text.npos; open = text.find('`', open)) {
    const auto close = text.find('`', open + 1);
    if (close == text.npos) break;
    const auto words = spelled(text.substr(open + 1, close - open - 1), spelling);
    if (words) {
      out.append(text, at, open - at).append(*words);
      at = close + 1;
    }
    // If the second backquote does not close a known name, it may open the next one.
    open = words ? at : close;
  }
  return out.append(text, at);
}

std::string parameter_name(std::string_view name) {
  auto out = '`' + std::string(name) + '`';
  std::ranges::replace(out, '-', '_');
  return out;
}

}  // namespace tacet::base
