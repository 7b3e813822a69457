#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace tacet::test {

/// An empty folder of its own for one test, removed with all it holds. In memory where the machine
/// has such a file system: what tests do there waits for no disk.
class ScratchFolder {
 public:
  ScratchFolder() {
    if (!made_in("/dev/shm") && !made_in(std::filesystem::temp_directory_path())) {
      throw std::runtime_error("no folder for the test");
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  bool made_in(const std::filesystem::path& parent) {
    std::string pattern = (parent / "tacet-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return false;
    path_ = pattern;
    return true;
  }

  std::filesystem::path path_;
};

}  // namespace tacet::test
