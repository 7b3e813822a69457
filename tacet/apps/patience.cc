#include "tacet/apps/patience.h"

#include <fmt/format.h>

#include "tacet/apps/command.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

void Patience::declare(Options& options) {
  options.add("--patience", seconds_, "SECONDS",
              fmt::format("Give up on events that take more work than about so many seconds of "
                          "it, counted alike on every machine; inf never does [default: {}]",
                          base::default_patience));
}

base::WorkMeter Patience::meter(const base::CancelToken& cancel) const {
  const double seconds = seconds_.empty()
                             ? base::default_patience
                             : number_option("--patience", seconds_, "a number of seconds above 0");
  return base::WorkMeter(seconds, &cancel);
}

}  // namespace tacet::apps
