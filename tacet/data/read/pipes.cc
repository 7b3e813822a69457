#include "tacet/data/read/pipes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

/// What was said about inputs, and the texts of pipes. There is one per process, since a process
/// has one standard input.
struct Said {
  std::mutex guard;
  std::atomic<bool> keep = false;
  std::atomic<const base::CancelToken*> cancel = nullptr;
  std::map<std::string, std::string> marks;
  std::map<std::string, std::string> texts;  // in a map, so that their addresses stay the same
  std::set<std::string> passed;              // pipes that are not kept
};

Said& said() {
  static Said held;
  return held;
}

/// Calls the system for an operation that may wait for the other end of a pipe. A signal that asks
/// for the end stops it; after any other signal it waits again.
template <typename Call>
auto awaited(const Call& call) {
  for (;;) {
    if (const auto* cancel = said().cancel.load(); cancel != nullptr) cancel->throw_if_cancelled();
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// A pipe that is open as long as this lives.
struct OpenPipe {
  explicit OpenPipe(const std::filesystem::path& file)
      : descriptor(awaited([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); })) {
    if (descriptor < 0) {
      throw base::IoError("cannot open {}: {}", file.string(), std::strerror(errno));
    }
  }
  ~OpenPipe() { ::close(descriptor); }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;

  int descriptor;
};

/// A pipe whose bytes are passed on as they come.
class PassingPipe : public ByteSource {
 public:
  /// Standard input without a file.
  explicit PassingPipe(const std::filesystem::path& file)
      : opened_(file), descriptor_(opened_->descriptor), name_(file.string()) {
    widen();
  }
  PassingPipe() { widen(); }

  std::size_t read(std::span<char> buffer) override {
    // A reader that asks again gets the same error, and does not wait for more bytes.
    if (fault_ != nullptr) std::rethrow_exception(fault_);
    if (ended_) return 0;
    try {
      const auto count = awaited([&] { return ::read(descriptor_, buffer.data(), buffer.size()); });
      if (count < 0) throw base::IoError("cannot read {}: {}", name_, std::strerror(errno));
      ended_ = count == 0 && !buffer.empty();
      return static_cast<std::size_t>(count);
    } catch (...) {
      fault_ = std::current_exception();
      throw;
    }
  }

 private:
  /// Enlarges the pipe, so that a sender waits less often for the reader. Does nothing to other
  /// files.
  void widen() const {
    constexpr int bytes = 1 << 20;  // every user may have this much
    static_cast<void>(::fcntl(descriptor_, F_SETPIPE_SZ, bytes));
  }

  std::optional<OpenPipe> opened_;
  int descriptor_ = STDIN_FILENO;
  std::string name_ = "standard input";
  std::exception_ptr fault_;
  bool ended_ = false;
};

std::string read_whole(int descriptor, std::string_view name) {
  constexpr std::size_t step = std::size_t{1} << 18;
  std::string all;
  std::vector<char> piece(step);
  for (;;) {
    const auto count = awaited([&] { return ::read(descriptor, piece.data(), piece.size()); });
    if (count < 0) throw base::IoError("cannot read {}: {}", name, std::strerror(errno));
    if (count == 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(count));
  }
}

/// Withholds a line that may be the mark until the byte after it is known.
class MarkedSource : public ByteSource {
 public:
  MarkedSource(std::unique_ptr<ByteSource> inner, std::string mark, std::string name)
      : inner_(std::move(inner)), mark_(std::move(mark)), name_(std::move(name)) {}

  std::size_t read(std::span<char> buffer) override {
    // A reader may use the bytes before the error, and ask again: it gets the same error.
    if (fault_ != nullptr) std::rethrow_exception(fault_);
    try {
      while (ready_ == given_ && !ended_) refill();
    } catch (...) {
      fault_ = std::current_exception();
      throw;
    }
    const auto count = std::min(buffer.size(), ready_ - given_);
    std::copy_n(held_.data() + given_, count, buffer.data());
    given_ += count;
    return count;
  }

 private:
  /// Makes the bytes available except the beginning of a line that may still become the mark.
  void refill() {
    held_.erase(0, given_);
    ready_ -= given_;
    given_ = 0;
    constexpr std::size_t step = std::size_t{1} << 16;
    const auto before = held_.size();
    held_.resize(before + step);
    const auto count = inner_->read(std::span(held_).subspan(before));
    held_.resize(before + count);
    if (count == 0) return finish();
    scan();
  }

  /// Checks each complete line from `ready_` on, which is the beginning of a line.
  void scan() {
    for (;;) {
      const auto rest = std::string_view(held_).substr(ready_);
      if (marked_) {
        if (!rest.empty()) refuse_early();
        return;
      }
      if (within_line_) {
        const auto end = rest.find('\n');
        within_line_ = end == rest.npos;
        ready_ += within_line_ ? rest.size() : end + 1;
        if (within_line_) return;
        ++line_;
        continue;
      }
      if (rest.size() < mark_.size() + 2 && rest.find('\n') == rest.npos && begins_mark(rest)) {
        return;  // it may become the mark
      }
      const auto end = rest.find('\n');
      if (end != rest.npos && is_mark(rest.substr(0, end))) {
        marked_ = true;
        held_.erase(ready_, end + 1);
        continue;
      }
      within_line_ = true;
    }
  }

  void finish() {
    ended_ = true;
    const auto rest = std::string_view(held_).substr(ready_);
    if (!marked_ && !within_line_ && is_mark(rest)) marked_ = true;
    if (!marked_) {
      throw base::DataError(
          "{}: the last line is not the end mark, so that records may be missing: the program that "
          "writes them ended too early, or does not write the mark",
          name_);
    }
    held_.resize(ready_);
  }

  [[noreturn]] void refuse_early() const {
    throw base::DataError("{}:{}: the end mark stands before the end of the records", name_, line_);
  }

  [[nodiscard]] bool is_mark(std::string_view line) const {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line == mark_;
  }
  [[nodiscard]] bool begins_mark(std::string_view rest) const {
    return (mark_ + "\r").starts_with(rest);
  }

  std::unique_ptr<ByteSource> inner_;
  std::string mark_;
  std::string name_;
  std::string held_;
  std::size_t ready_ = 0;     // bytes of `held_` that may be passed on
  std::size_t given_ = 0;     // of these
  std::int64_t line_ = 1;     // number of the line that contains `ready_`
  bool within_line_ = false;  // `ready_` is inside of a line that is not the mark
  bool marked_ = false;
  bool ended_ = false;
  std::exception_ptr fault_;
};

void refuse_passed(const std::set<std::string>& passed, const std::string& name) {
  if (!passed.contains(name)) return;
  throw base::InternalError("what came through '{}' was read, and is not kept", name);
}

}  // namespace

bool is_pipe(const std::filesystem::path& file) {
  if (file == standard_input_name) return true;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  using Type = std::filesystem::file_type;
  return !error && (status.type() == Type::fifo || status.type() == Type::character ||
                    status.type() == Type::socket);
}

void keep_pipes(const base::CancelToken& cancel) {
  said().cancel = &cancel;
  said().keep = true;
}

bool can_be_read_again(const std::filesystem::path& file) {
  if (file == standard_input_name) return true;
  if (is_pipe(file)) return said().keep;
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

void expect_end_mark(const std::filesystem::path& file, const std::string& mark) {
  const bool odd = std::ranges::any_of(mark, [](char c) { return c == '\n' || c == '\r'; });
  if (mark.empty() || odd) {
    throw base::UsageError("`end_mark` must be the text of one line, got \"{}\"", mark);
  }
  const std::scoped_lock lock(said().guard);
  said().marks[file.string()] = mark;
}

std::string_view internal::kept_pipe(const std::filesystem::path& file) {
  auto& held = said();
  const std::scoped_lock lock(held.guard);
  const auto found = held.texts.find(file.string());
  if (found != held.texts.end()) return found->second;
  refuse_passed(held.passed, file.string());
  if (file == standard_input_name) {
    return held.texts.emplace(file.string(), read_whole(STDIN_FILENO, "standard input"))
        .first->second;
  }
  const OpenPipe opened(file);
  return held.texts.emplace(file.string(), read_whole(opened.descriptor, file.string()))
      .first->second;
}

std::unique_ptr<ByteSource> internal::passing_pipe(const std::filesystem::path& file) {
  auto& held = said();
  const std::scoped_lock lock(held.guard);
  const auto found = held.texts.find(file.string());
  if (found != held.texts.end()) return text_source(found->second);
  refuse_passed(held.passed, file.string());
  held.passed.insert(file.string());
  if (file == standard_input_name) return std::make_unique<PassingPipe>();
  return std::make_unique<PassingPipe>(file);
}

std::optional<std::string> internal::end_mark_of(const std::filesystem::path& file) {
  const std::scoped_lock lock(said().guard);
  const auto found = said().marks.find(file.string());
  if (found == said().marks.end()) return std::nullopt;
  return found->second;
}

std::unique_ptr<ByteSource> internal::until_mark(std::unique_ptr<ByteSource> source,
                                                 std::string mark, std::string name) {
  return std::make_unique<MarkedSource>(std::move(source), std::move(mark), std::move(name));
}

}  // namespace tacet::data
