#pragma once

#include <map>
#include <string>

#include "tacet/apps/help_page.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tacet::apps {

/// Every command of a program with its options as JSON: what manual pages and completions are made
/// from. Commands stand in the order of the help page, options in that of their declaration.
[[nodiscard]] std::string option_table(const CLI::App& program,
                                       const std::map<const CLI::App*, HelpPage>& pages);

}  // namespace tacet::apps
