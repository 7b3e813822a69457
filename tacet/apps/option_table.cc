#include "tacet/apps/option_table.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/version.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

ordered_json option_json(const CLI::Option& option, const HelpPage& page) {
  std::vector<std::string> names;
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  const bool by_place = names.empty();
  if (by_place) names.push_back(option.get_name(true));
  ordered_json out{{"names", names}, {"by_place", by_place}};
  const bool flag = option.get_items_expected_max() == 0;
  if (!flag) out["kind"] = option.get_type_name();
  out["required"] = option.get_required();
  out["repeated"] = option.get_items_expected_max() > 1;
  out["heading"] = by_place ? "Arguments" : option.get_group();
  if (const auto topics = page.topics_of(names.front()); !topics.empty()) out["topics"] = topics;
  if (const auto words = page.words_of(names.front()); !words.empty()) out["words"] = words;
  out["help"] = option.get_description();
  return out;
}

ordered_json command_json(const CLI::App& command, const std::string& name,
                          const std::map<const CLI::App*, HelpPage>& pages) {
  const auto page = pages.find(&command);
  ordered_json out{{"name", name}, {"help", command.get_description()}};
  out["examples"] = command.get_footer();
  out["options"] = ordered_json::array();
  for (const auto* option : command.get_options()) {
    out["options"].push_back(option_json(*option, page == pages.end() ? HelpPage() : page->second));
  }
  return out;
}

}  // namespace

std::string option_table(const CLI::App& program,
                         const std::map<const CLI::App*, HelpPage>& pages) {
  auto groups = ordered_json::array();
  auto commands = ordered_json::array();
  const auto all = [](const CLI::App*) { return true; };
  for (const auto* command : program.get_subcommands(all)) {
    const auto& name = command->get_name();
    const auto parts = command->get_subcommands(all);
    if (parts.empty()) commands.push_back(command_json(*command, name, pages));
    if (!parts.empty()) groups.push_back({{"name", name}, {"help", command->get_description()}});
    for (const auto* part : parts) {
      commands.push_back(command_json(*part, name + " " + part->get_name(), pages));
    }
  }
  return ordered_json{{"format", "tacet-commands"},
                      {"version", 1},
                      {"program", program.get_name()},
                      {"release", base::version},
                      {"purpose", program.get_description()},
                      {"examples", program.get_footer()},
                      {"groups", groups},
                      {"commands", commands}}
      .dump(1);
}

}  // namespace tacet::apps
