#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/parameter_names.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

struct OutputStyle {
  bool json = false;   ///< results as JSON
  bool quiet = false;  ///< nothing but results, errors and the mark of an unprotected result
};

/// The two channels of the program: results to standard output, talk to standard error.
class Console {
 public:
  /// `spelling`: how parameters are written in what is said.
  Console(OutputStyle style, base::Spelling spelling);

  [[nodiscard]] bool json() const { return style_.json; }
  [[nodiscard]] bool quiet() const { return style_.quiet; }

  /// A result, exactly as given, but that a terminal gets control characters escaped. An IoError
  /// when standard output takes no more.
  void result(std::string_view text) const;
  /// Remarks for a person; nothing when quiet. Control characters but line ends are escaped.
  void say(std::string_view text) const;
  /// Something a person must see even when quiet, on one line.
  void warn(std::string_view line) const;
  /// With the parameters in it as options; talk and warnings are spelled here, results are not.
  [[nodiscard]] std::string spelled(std::string_view text) const;

  /// Standard error is a terminal that may be written over, and talk is wanted.
  [[nodiscard]] bool live() const { return live_; }

 private:
  OutputStyle style_;
  base::Spelling spelling_;
  bool live_;
  bool colour_;
  bool shown_;  ///< standard output is a terminal
};

/// Before a result is paid for: an IoError when standard output is closed, not open for writing, or
/// a pipe that nobody reads. What is to come, as a full disk, nobody can tell.
void check_results();

/// Writes what standard output still holds; an IoError when it could not take it.
void flush_results();

/// One line on a terminal that says how far a computation is: steps and time, nothing about data.
class ProgressLine : public base::Progress {
 public:
  explicit ProgressLine(const Console& console);
  ~ProgressLine() override;
  /// A phase whose length nobody knows.
  void announce(std::string_view phase);
  void advance(std::string_view phase, std::int64_t done, std::int64_t total) override;
  /// Takes the line away before something else is printed.
  void clear();
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool live_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
};

}  // namespace tacet::apps
