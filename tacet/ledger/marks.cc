#include "tacet/ledger/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 24;

}  // namespace

std::vector<Mark> read_marks(const fs::path& folder) {
  const auto file = folder / marks_file_name;
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const auto text = base::read_file(file, most_bytes);
  std::vector<Mark> marks;
  try {
    const auto parsed = ordered_json::parse(text);
    for (const auto& one : parsed.at("marks")) {
      marks.push_back({one.at("file").get<std::string>(), one.at("data_set").get<std::string>(),
                       one.at("ledger").get<std::string>(),
                       one.at("ledger_name").get<std::string>()});
    }
  } catch (const ordered_json::exception&) {
    throw base::DataError(
        fmt::format("'{}' says which ledger holds the account of the data beside it and cannot be "
                    "understood; make it again with `tacet ledger init`, or restore it",
                    file.string()));
  }
  return marks;
}

void add_mark(const fs::path& folder, const Mark& mark) {
  auto marks = read_marks(folder);
  std::erase_if(marks, [&](const Mark& old) { return old.file == mark.file; });
  marks.push_back(mark);
  auto list = ordered_json::array();
  for (const auto& one : marks) {
    list.push_back({{"file", one.file},
                    {"data_set", one.data_set},
                    {"ledger", one.ledger.string()},
                    {"ledger_name", one.ledger_name}});
  }
  const ordered_json out{
      {"about", "which ledger holds the privacy account of a file in this folder"},
      {"marks", list}};
  base::write_file(folder / marks_file_name, out.dump(1) + "\n", base::Overwrite::allow);
}

fs::path ledger_path(const fs::path& folder, const Mark& mark) {
  return mark.ledger.is_absolute() ? mark.ledger : folder / mark.ledger;
}

fs::path path_for_mark(const fs::path& folder, const fs::path& ledger) {
  std::error_code error;
  const auto absolute = fs::canonical(ledger, error);
  if (error) return fs::absolute(ledger);
  const auto relative = fs::relative(absolute, fs::canonical(folder, error), error);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return below ? relative : absolute;
}

}  // namespace tacet::ledger
