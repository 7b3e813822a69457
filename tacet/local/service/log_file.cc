#include "tacet/local/service/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::local {
namespace {

/// How many bytes of it were written.
std::size_t write_all(int descriptor, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

LogFile::LogFile(std::string path) : path_(std::move(path)), descriptor_(STDERR_FILENO) {
  open_again();
}

LogFile::~LogFile() {
  if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
}

void LogFile::open_again() {
  if (path_.empty()) return;
  const int fresh = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (fresh < 0) {
    throw base::IoError("cannot open the log '{}': {}", path_,
                        std::generic_category().message(errno));
  }
  const std::scoped_lock lock(mutex_);
  if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
  descriptor_ = fresh;
}

bool LogFile::write(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  if (cut_) {
    if (write_all(descriptor_, "\n") == 0) return false;
    cut_ = false;
  }
  const auto written = write_all(descriptor_, line);
  cut_ = written > 0 && written < line.size();
  return written == line.size();
}

}  // namespace tacet::local
