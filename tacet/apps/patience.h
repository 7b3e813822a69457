#pragma once

#include <string>

#include "tacet/apps/options.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

/// The option --patience of commands that account for events from files.
class Patience {
 public:
  void declare(Options& options);
  /// A fresh meter of the seconds asked for; UsageError where they are none.
  [[nodiscard]] base::WorkMeter meter(const base::CancelToken& cancel) const;

 private:
  std::string seconds_;
};

}  // namespace tacet::apps
