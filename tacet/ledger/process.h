#pragma once

#include <cstdint>
#include <string>

namespace tacet::ledger {

/// A process that a number alone does not name: numbers are used again.
struct Process {
  std::int64_t id = 0;
  std::int64_t start = 0;  ///< clock ticks after boot at which it started
  std::string boot;        ///< the machine's boot, a random identifier

  friend bool operator==(const Process&, const Process&) = default;
};

[[nodiscard]] Process this_process();

/// Whether the process still runs. A process of another boot or another machine does not, as far as
/// can be told.
[[nodiscard]] bool running(const Process& process);

}  // namespace tacet::ledger
