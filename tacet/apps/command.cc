#include "tacet/apps/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::apps {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view allowed) {
  throw base::UsageError(fmt::format("{} must be {}, got '{}'", option, allowed, text));
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

CLI::App& group(CLI::App& program, const std::string& name) {
  for (auto* known : program.get_subcommands([](CLI::App*) { return true; })) {
    if (known->get_name() == name) return *known;
  }
  constexpr std::array<std::pair<std::string_view, const char*>, 2> descriptions{
      {{"schema", "Draft or check a schema"},
       {"ledger", "Keep account of what was spent on data sets"}}};
  const auto* const found = std::ranges::find(descriptions, std::string_view(name),
                                              &std::pair<std::string_view, const char*>::first);
  auto* created = program.add_subcommand(name, found == descriptions.end() ? "" : found->second);
  created->require_subcommand(1);
  created->footer("");  // the program's own is inherited otherwise
  return *created;
}

}  // namespace

CLI::App& Command::add(CLI::App& program, const std::string& name, const std::string& what_it_does,
                       std::string_view examples) {
  name_ = name;
  const auto blank = name.find(' ');
  auto& parent = blank == std::string::npos ? program : group(program, name.substr(0, blank));
  app_ = parent.add_subcommand(blank == std::string::npos ? name : name.substr(blank + 1),
                               what_it_does);
  app_->add_flag("--json", style_.json, "Print the result as JSON");
  app_->add_flag("--quiet,-q", style_.quiet, "Print nothing but the result and errors");
  app_->footer(fmt::format("Examples:\n{}", examples));
  return *app_;
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

std::unique_ptr<random::Source> random_source(const std::string& seed) {
  if (seed.empty()) return random::SecureSource::create();
  const auto number = integer_option("--seed", seed, "a whole number of at least 0");
  if (number < 0) {
    throw base::UsageError(fmt::format("--seed must be at least 0, got {}", number));
  }
  return std::make_unique<random::SeededSource>(static_cast<std::uint64_t>(number));
}

}  // namespace tacet::apps
