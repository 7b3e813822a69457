#pragma once

#include <filesystem>
#include <string_view>

namespace tacet::test {

/// The folder of large public data sets that the environment variable TACET_DATA names, or an
/// empty path.
[[nodiscard]] std::filesystem::path data_folder();

/// The file `name` below data_folder(), or an empty path with a line on standard output that says
/// what could not be tested. A test that gets an empty path returns at once.
[[nodiscard]] std::filesystem::path data_file_or_skip(std::string_view name);

/// A file below the source tree (`data/berkeley1973.csv`).
[[nodiscard]] std::filesystem::path source_file(std::string_view name);

}  // namespace tacet::test

/// Leaves the running test when TACET_DATA does not hold `name`, and says so.
#define TACET_SKIP_WITHOUT_DATA(variable, name)                 \
  const auto variable = ::tacet::test::data_file_or_skip(name); \
  if (variable.empty()) return
