#include "tacet/apps/terminal/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/text.h"

namespace tacet::apps {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr std::string_view erase_line = "\r\033[K";

void check_output(bool accepted) {
  if (accepted) return;
  throw base::IoError("cannot write to standard output: {}",
                      std::generic_category().message(errno));
}

void to_standard_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// https://no-color.org: any non-empty value turns colours off.
bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

bool terminal_attached() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 &&
         !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

}  // namespace

Console::Console(OutputStyle style, base::Spelling spelling)
    : style_(style),
      spelling_(std::move(spelling)),
      live_(!style.quiet && terminal_attached()),
      colour_(colour_wanted()),
      shown_(::isatty(STDOUT_FILENO) == 1) {}

void Console::result(std::string_view text) const {
  const auto escaped = shown_ ? base::printable_lines(text) : std::string();
  if (shown_) text = escaped;
  check_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void Console::say(std::string_view text) const {
  if (style_.quiet) return;
  to_standard_error(base::printable_lines(spelled(text)) + "\n");
}

void Console::warn(std::string_view line) const {
  const auto shown = base::printable(spelled(line));
  to_standard_error(colour_ ? fmt::format("\033[1;33m{}\033[0m\n", shown)
                            : fmt::format("{}\n", shown));
}

std::string Console::spelled(std::string_view text) const {
  return base::spell_parameters(text, spelling_);
}

void check_results() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  const int access = flags & O_ACCMODE;
  int fault = 0;
  if (flags == -1 || (access != O_WRONLY && access != O_RDWR)) fault = EBADF;
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (fault == 0 && ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) fault = EPIPE;
  if (fault == 0) return;
  throw base::IoError(
      "cannot write to standard output, where the result would go: {}; nothing was booked and no "
      "data were used",
      std::generic_category().message(fault));
}

void flush_results() { check_output(std::fflush(stdout) == 0 && std::ferror(stdout) == 0); }

ProgressLine::ProgressLine(const Console& console) : live_(console.live()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (drawn_) to_standard_error(erase_line);
  drawn_ = false;
}

void ProgressLine::announce(std::string_view phase) {
  if (!live_) return;
  drawn_ = true;
  to_standard_error(fmt::format("{}{}", erase_line, base::printable(phase)));
}

void ProgressLine::advance(std::string_view phase, std::int64_t done, std::int64_t total) {
  const auto now = Clock::now();
  if (!live_ || now - shown_ < redraw_interval) return;
  shown_ = now;
  drawn_ = true;
  to_standard_error(
      fmt::format("{}{}: {} of {}, {:.1f} s", erase_line, phase, done, total, seconds()));
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tacet::apps
