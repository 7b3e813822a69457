#include "tacet/ledger/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace tacet::ledger {
namespace {

std::string boot_identifier() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

/// Field 22 of /proc/<pid>/stat (proc(5)); 0 if there is no such process, or if it is a zombie.
std::int64_t start_of(std::int64_t id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The second field is the program's name in parentheses, which may contain any character.
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;
  constexpr int fields_before_start = 18;  // 4 to 21
  for (int i = 0; i < fields_before_start; ++i) fields >> field;
  std::int64_t start = 0;
  fields >> start;
  return fields ? start : 0;
}

}  // namespace

Process this_process() { return {::getpid(), start_of(::getpid()), boot_identifier()}; }

bool running(const Process& process) {
  return process.id > 0 && process.start > 0 && process.boot == boot_identifier() &&
         start_of(process.id) == process.start;
}

}  // namespace tacet::ledger
