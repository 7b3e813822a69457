#include "tests/support/data_sets.h"

#include <cstdlib>
#include <iostream>

namespace tacet::test {

std::filesystem::path data_folder() {
  const char* folder = std::getenv("TACET_DATA");
  return folder == nullptr ? std::filesystem::path{} : std::filesystem::path{folder};
}

std::filesystem::path data_file_or_skip(std::string_view name) {
  const auto folder = data_folder();
  if (!folder.empty() && std::filesystem::exists(folder / name)) return folder / name;
  std::cout << "[ NO DATA  ] " << name << " is not below TACET_DATA; nothing was tested here\n";
  return {};
}

std::filesystem::path source_file(std::string_view name) {
  return std::filesystem::path{TACET_SOURCE_DIR} / name;
}

}  // namespace tacet::test
