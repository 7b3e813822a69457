#pragma once

#include <memory>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/base/progress.h"
#include "tacet/data/words/corpus.h"
#include "tacet/data/words/vocabulary.h"
#include "tacet/learn/wide/word_options.h"

namespace tacet::apps {

/// What `tacet embed` is given about the text, its words and the training of their vectors.
class WordTextOptions {
 public:
  void declare_corpus(Options& options);
  void declare(Options& options);

  [[nodiscard]] const std::string& corpus() const { return corpus_; }
  [[nodiscard]] data::Vocabulary vocabulary() const;
  [[nodiscard]] learn::WordOptions training() const;
  /// Whose words are protected together: "record", "pair" or a column's name.
  [[nodiscard]] std::string unit() const;
  /// The texts; numbered by the vocabulary, or by all of their words where these are to be found.
  [[nodiscard]] data::OpenCorpus read(const data::Vocabulary& vocabulary,
                                      const learn::WordOptions& training,
                                      const base::CancelToken& cancel) const;
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
  std::string most_;
  bool words_ = false;
  bool pairs_as_units_ = false;
  std::string threads_;
  learn::OptionValues given_;
};

}  // namespace tacet::apps
