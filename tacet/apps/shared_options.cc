#include "tacet/apps/shared_options.h"

#include <fmt/format.h>

#include "tacet/apps/command.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

void PatienceOption::declare(Options& options) {
  options.add("--patience", seconds_, "SECONDS",
              fmt::format("Give up on events that take more work than about so many seconds of "
                          "it, counted alike on every machine; inf never does [default: {}]",
                          base::default_patience));
}

base::WorkMeter PatienceOption::meter(const base::CancelToken& cancel) const {
  const double seconds = seconds_.empty()
                             ? base::default_patience
                             : number_option("--patience", seconds_, "a number of seconds above 0");
  return base::WorkMeter(seconds, &cancel);
}

void SpellingOptions::declare(Options& options) {
  options.add("--decimal", words_.decimal, "CHAR",
              "Sign before the digits of a fraction, . or , [default: .; schema draft guesses it]");
  options.add("--thousands", words_.thousands, "CHAR", "Sign between groups of three digits");
  options.add("--symbol", words_.symbols, "TEXT",
              "Text beside numbers that is dropped, such as $; may be given several times");
  options.add(
      "--encoding", words_.encoding, "NAME",
      "Characters of the file: utf-8, latin-1, windows-1252 or utf-16 [default: utf-8; schema "
      "draft guesses it]");
  options.offer("--encoding", {"utf-8", "latin-1", "windows-1252", "utf-16"});
  options.add(
      "--date-format", words_.date_format, "FORMAT",
      "How dates are written, such as %d.%m.%Y [default: ISO 8601; schema draft guesses it]");
  options.add("--comment", words_.comment, "CHAR", "Lines that begin with it are no records");
  options.add("--missing", words_.missing, "TEXT",
              "A further text that stands for a missing value; may be given several times");
}

void ThresholdOption::declare(Options& options) {
  options.add("--threshold", text_, "NUMBER",
              "Of two classes predict the positive one above this probability [default: 0.5]");
}

double ThresholdOption::margin(const model::LinearModel& model) const {
  if (text_.empty()) return 0;
  return model::margin_of_probability(
      model, number_option("--threshold", text_, "a number between 0 and 1"));
}

}  // namespace tacet::apps
