#pragma once

#include <string>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/base/progress.h"
#include "tacet/data/owner/spelling_words.h"
#include "tacet/model/linear_model.h"

/// Options that several commands have.
namespace tacet::apps {

/// The option --patience of commands that account for events from files.
class PatienceOption {
 public:
  void declare(Options& options);
  /// A fresh meter of the seconds asked for; UsageError where they are none.
  [[nodiscard]] base::WorkMeter meter(const base::CancelToken& cancel) const;

 private:
  std::string seconds_;
};

/// Options that say how a file spells its values, named as the keys of a schema.
class SpellingOptions {
 public:
  void declare(Options& options);

  [[nodiscard]] const data::SpellingWords& words() const { return words_; }

 private:
  data::SpellingWords words_;
};

/// The option --threshold of commands that predict classes. It is public: chosen, never fitted.
class ThresholdOption {
 public:
  void declare(Options& options);
  /// The margin above which the second of two classes is predicted: 0 where none was given.
  /// UsageError for a model without probabilities of two classes.
  [[nodiscard]] double margin(const model::LinearModel& model) const;

 private:
  std::string text_;
};

}  // namespace tacet::apps
