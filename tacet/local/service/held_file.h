#pragma once

#include <filesystem>
#include <optional>

namespace tacet::local {

/// A file that says by being locked that somebody works on what it is named after. The system ends
/// the lock with the process, whatever ends that; the file is removed with the object.
/// Not for several threads at once.
class HeldFile {
 public:
  /// None where somebody else holds it. IoError where it cannot be made.
  [[nodiscard]] static std::optional<HeldFile> hold(const std::filesystem::path& path);
  HeldFile(HeldFile&& other) noexcept;
  HeldFile& operator=(HeldFile&& other) noexcept;
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile();

 private:
  HeldFile(std::filesystem::path path, int descriptor);
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace tacet::local
