#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tacet/base/error.h"

/// Processes of a test, and what the world outside has seen of them.
namespace tacet::test {

/// Runs `body` in a process of its own; its result is the exit code, 99 for an exception.
inline pid_t in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = body();
  } catch (const base::Error& error) {
    const std::string text = std::string(error.what()) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  } catch (...) {
  }
  ::_exit(code);
}

inline int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

/// The negative number of the signal where one ended it.
inline int exit_code_of(pid_t child) {
  const int status = status_of(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Holds processes back until another one opens it. Each process may use it once.
class Gate {
 public:
  Gate() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }
  /// Waits until the gate is open.
  void pass() const {
    shut(ends_[1]);
    char byte = 0;
    static_cast<void>(!::read(ends_[0], &byte, 1));  // ends when nobody can write any more
  }
  void open() const {
    shut(ends_[0]);
    shut(ends_[1]);
  }

 private:
  static void shut(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  mutable std::array<int, 2> ends_{-1, -1};
};

/// One line a call, written before it returns: what the outside world has seen.
class Witness {
 public:
  explicit Witness(std::filesystem::path path) : path_(std::move(path)) {}
  void see(char what) const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string line{what, '\n'};
    EXPECT_EQ(::write(file, line.data(), line.size()), 2);
    ::close(file);
  }
  [[nodiscard]] std::int64_t count(char what) const {
    std::ifstream file(path_);
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) number += line[0] == what ? 1 : 0;
    return number;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tacet::test
