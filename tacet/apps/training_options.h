#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/report/plan.h"
#include "tacet/run/terms.h"

namespace tacet::apps {

/// What `train` and `plan` have in common: the schema, and one option for each entry of
/// learn::parameters(). An adjacency that is not given is the one usual for the method.
class TrainingOptions {
 public:
  void declare(Options& options);

  /// Chooses adjacency and delta, where they were not given, so that they fit the account that
  /// pays; a person is told of a delta that is not the usual one.
  void fit_to(const std::optional<run::AccountTerms>& terms, const Console& console);

  /// What was asked for; UsageError names the option.
  [[nodiscard]] choose::Request request() const;

  /// Whether any of these options was given.
  [[nodiscard]] bool any() const {
    return !given_.empty() || !schema_.empty() || !total_epsilon_.empty();
  }
  /// Where --epsilon takes a list: its numbers in ascending order, each once; without it the usual
  /// ones.
  [[nodiscard]] std::vector<double> epsilons() const;
  /// What else was asked for, without an epsilon. UsageError for a total epsilon.
  [[nodiscard]] choose::Request request_without_epsilon() const;
  /// All of it but epsilon, as words of a shell.
  [[nodiscard]] std::string words_without_epsilon() const;
  /// The schema from its file. UsageError when none was given.
  [[nodiscard]] data::Schema schema() const;
  [[nodiscard]] const std::string& schema_file() const { return schema_; }

 private:
  std::string schema_;
  mutable std::optional<data::Schema> loaded_;  // read once: it may be a pipe
  std::string total_epsilon_;
  learn::OptionValues given_;
};

/// An option for a row of a table of parameters; `given` gets its value.
void add_parameter(Options& options, const learn::Parameter& parameter, learn::OptionValues& given);

/// A plan whose reasons name parameters as this program does, to be shown.
[[nodiscard]] learn::Training spelled(learn::Training plan, const Console& console);

/// What was resolved before reading data, for a person: the reasons, then all settings.
[[nodiscard]] std::string plan_text(const learn::Training& plan);
/// The three choices that matter, each with its reason: the method, what counts as which class or
/// the loss, and delta where nobody gave it. Of a run that protects nobody all reasons.
[[nodiscard]] std::string choices_text(const learn::Training& plan);
using report::plan_json;

/// What of a model's cost is for the fit of its schema, in a sentence; empty: nothing.
[[nodiscard]] std::string fit_share_text(const data::Schema& schema, privacy::Adjacency adjacency);

}  // namespace tacet::apps
