#include "tacet/apps/command.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::apps {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view allowed) {
  throw base::UsageError("{} must be {}, got '{}'", option, allowed, text);
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

Options& Command::add(CommandLine& line, const std::string& name, const std::string& what_it_does,
                      std::string_view examples) {
  name_ = name;
  auto& options = options_.emplace(line.command(name, what_it_does, examples));
  options.flag("--json", style_.json, "Print the result as JSON");
  options.flag("--quiet,-q", style_.quiet, "Print nothing but the result and errors");
  return options;
}

double number_option(std::string_view option, std::string_view text, std::string_view allowed) {
  double value = 0;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (!parse_whole(text, value) || !std::isfinite(value)) refuse(option, text, allowed);
  return value;
}

std::int64_t integer_option(std::string_view option, std::string_view text,
                            std::string_view allowed) {
  std::int64_t value = 0;
  if (!parse_whole(text, value)) refuse(option, text, allowed);
  return value;
}

std::int64_t count_option(std::string_view option, std::string_view text, std::int64_t min) {
  const auto value =
      integer_option(option, text, fmt::format("a whole number of at least {}", min));
  if (value >= min) return value;
  throw base::UsageError("{} must be at least {}, got {}", option, min, value);
}

}  // namespace tacet::apps
