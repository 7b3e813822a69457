#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace tacet::local {

/// Where lines of a log go: standard error, or a file that is opened again when it was renamed.
/// Several threads may write.
class LogFile {
 public:
  /// An empty path: standard error. IoError where the file cannot be opened.
  explicit LogFile(std::string path);
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile();

  /// IoError where it cannot be opened; then lines go where they went before.
  void open_again();
  /// False where the line did not get there whole, on a full disk say. What follows a line that was
  /// cut begins on a line of its own.
  [[nodiscard]] bool write(std::string_view line);

 private:
  std::string path_;
  std::mutex mutex_;
  int descriptor_;
  bool cut_ = false;  // the last byte there is not the end of a line
};

}  // namespace tacet::local
