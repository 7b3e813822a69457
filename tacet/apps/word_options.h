#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/progress.h"
#include "tacet/data/words/corpus.h"
#include "tacet/data/words/vocabulary.h"
#include "tacet/learn/words/word_options.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/run/spend.h"
#include "tacet/run/terms.h"

namespace tacet::apps {

/// What `tacet embed` is given about the text, its words and the training of their vectors.
class WordTextOptions {
 public:
  void declare_corpus(Options& options);
  void declare(Options& options);

  /// Chooses adjacency and delta, where they were not given, so that they fit the account that
  /// pays; a person is told of a delta that is not the usual one.
  void fit_to(const std::optional<run::AccountTerms>& terms, const Console& console);

  [[nodiscard]] const std::string& corpus() const { return corpus_; }
  [[nodiscard]] data::Vocabulary vocabulary() const;
  [[nodiscard]] learn::WordOptions training() const;
  /// Whose words are protected together: "record", "pair" or a column's name.
  [[nodiscard]] std::string unit() const;
  /// The texts; numbered by the vocabulary, or by all of their words where these are to be found.
  [[nodiscard]] data::OpenCorpus read(const data::Vocabulary& vocabulary,
                                      const learn::WordOptions& training,
                                      const base::CancelToken& cancel) const;
  /// What a training by a command of that name costs.
  [[nodiscard]] run::Expense expense_of(const std::string& command, const learn::WordPlan& plan,
                                        const SeedOption& seed) const;
  [[nodiscard]] const std::string& threads() const { return threads_; }

 private:
  std::string corpus_;
  std::string vocabulary_;
  std::string buckets_;
  std::string min_count_;
  std::string sample_;
  bool by_counts_ = false;
  std::string text_column_;
  std::string unit_;
  std::string max_;
  bool words_ = false;
  bool pairs_as_units_ = false;
  std::string threads_;
  learn::OptionValues given_;
};

}  // namespace tacet::apps
