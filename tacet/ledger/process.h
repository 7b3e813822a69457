#pragma once

#include <cstdint>
#include <string>

namespace tacet::ledger {

/// Identifies a process. Its number is not enough, since numbers are used again.
struct Process {
  std::int64_t id = 0;
  std::int64_t start = 0;  ///< clock ticks after boot at which it started
  std::string boot;        ///< the machine's boot, a random identifier

  friend bool operator==(const Process&, const Process&) = default;
};

[[nodiscard]] Process this_process();

/// Whether the process still runs. For a process of another boot or machine it returns false, since
/// that cannot be known.
[[nodiscard]] bool running(const Process& process);

}  // namespace tacet::ledger
