#include "tacet/run/records.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "tacet/base/limits.h"
#include "tacet/data/read/byte_source.h"

namespace tacet::run {
namespace {

/// Calls `receive` with each line, without its end; a last line needs no end. A line longer than
/// limits::line_bytes comes in pieces, so that no file decides about memory.
template <typename Receive>
void for_each_line(const std::string& file, const Receive& receive) {
  constexpr std::size_t chunk = 1 << 16;
  constexpr auto longest = static_cast<std::size_t>(base::limits::line_bytes);
  std::array<char, chunk> buffer{};
  const auto source = data::open_source(file);
  std::string line;
  const auto finish = [&] {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    receive(line);
    line.clear();
  };
  while (const auto count = source->read(buffer)) {
    std::string_view text(buffer.data(), count);
    while (!text.empty()) {
      if (line.size() == longest && text.front() != '\n') {
        receive(line);
        line.clear();
      }
      const auto size = std::min({text.find('\n'), text.size(), longest - line.size()});
      line += text.substr(0, size);
      text.remove_prefix(size);
      if (!text.starts_with('\n')) continue;
      finish();
      text.remove_prefix(1);
    }
  }
  if (!line.empty()) finish();
}

}  // namespace

std::optional<std::string> fingerprint_of(ledger::Ledger& ledger, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  auto fingerprint = ledger.fingerprint();
  for_each_line(file, [&](std::string_view line) { fingerprint.add(line); });
  return fingerprint.digest();
}

}  // namespace tacet::run
