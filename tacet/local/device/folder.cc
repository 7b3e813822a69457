#include "tacet/local/device/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"

namespace tacet::local {
namespace {

/// Names in the folder are durable when it returns.
void sync_names(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (done) return;
  throw base::IoError(
      "cannot make what was written to '{}' durable: {}; this call has sent nothing",
      folder.string(), std::generic_category().message(error));
}

}  // namespace

DeviceFolder::DeviceFolder(std::filesystem::path path, const base::CancelToken* cancel)
    : path_(std::move(path)) {
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
    throw base::IoError("cannot make the folder '{}': {}", path_.string(),
                        std::generic_category().message(errno));
  }
  check_owner();
  const auto parent = path_.parent_path();
  sync_names(parent.empty() ? std::filesystem::path(".") : parent);
  lock(cancel);
}

DeviceFolder::~DeviceFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DeviceFolder::lock(const base::CancelToken* cancel) {
  descriptor_ = ::open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    throw base::IoError("cannot work in the folder '{}': {}", path_.string(),
                        std::generic_category().message(errno));
  }
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EWOULDBLOCK || error == EINTR) {
      if (cancel != nullptr && cancel->cancelled()) {
        ::close(descriptor_);
        throw base::Interrupted("interrupted while another process worked in '{}'", path_.string());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    ::close(descriptor_);
    throw base::IoError("cannot lock the folder '{}': {}", path_.string(),
                        std::generic_category().message(error));
  }
}

void DeviceFolder::check_owner() const {
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw base::IoError("'{}' is no folder", path_.string());
  }
  if (status.st_uid == ::geteuid() && (status.st_mode & others_write) == 0) return;
  throw base::IoError(
      "the folder '{}' belongs to somebody else, or others may write in it: what it holds is sent, "
      "and says what was spent. Make it yours alone (chmod go-w)",
      path_.string());
}

std::vector<std::string> DeviceFolder::tasks() const {
  std::vector<std::string> tasks;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const auto extension = entry.path().extension();
    if (extension == ".report" || extension == ".sending") {
      tasks.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(tasks);
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

std::optional<std::string> DeviceFolder::own_file(const std::string& name,
                                                  std::size_t max_bytes) const {
  const auto file = path_ / name;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    if (descriptor >= 0) ::close(descriptor);
    throw base::IoError("cannot use '{}': {}; this call has sent nothing", file.string(), why);
  };
  if (descriptor < 0) refuse(std::generic_category().message(errno));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    refuse("it is no file of this device's owner");
  }
  if (static_cast<std::size_t>(status.st_size) > max_bytes)
    refuse("it is longer than anything that is kept there");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse("it cannot be read to its end");
    done += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
  return bytes;
}

std::optional<std::string> DeviceFolder::report(const std::string& task,
                                                std::size_t max_bytes) const {
  return own_file(report_name(task), max_bytes);
}

void DeviceFolder::keep_report(const std::string& task, const std::string& bytes) const {
  base::write_file(path_ / report_name(task), bytes, base::Overwrite::refuse);
  sync_names(path_);
}

void DeviceFolder::begin_sending(const std::string& task) const {
  base::write_file(path_ / (task + ".sending"), "", base::Overwrite::allow);
  sync_names(path_);
}

bool DeviceFolder::may_have_sent(const std::string& task) const {
  std::error_code error;
  return std::filesystem::exists(path_ / (task + ".sending"), error) || error;
}

std::string DeviceFolder::answer(const std::string& task) const {
  auto text = own_file(task + ".answer", 100).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void DeviceFolder::keep_answer(const std::string& task, const std::string& code) const {
  base::write_file(path_ / (task + ".answer"), code + "\n", base::Overwrite::allow);
}

}  // namespace tacet::local
