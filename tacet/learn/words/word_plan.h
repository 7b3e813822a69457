#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/data/words/vocabulary.h"
#include "tacet/learn/plan/training.h"
#include "tacet/learn/rows/row_plan.h"
#include "tacet/learn/words/vocabulary_choice.h"
#include "tacet/learn/words/word_options.h"
#include "tacet/model/words/word_shape.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::learn {

/// Training of word vectors, resolved from public facts: no text has been read.
struct WordPlan : RowPlan {  // its unit is a record, a pair or that of the unit column
  model::WordShape shape;
  model::WordStart start;
  data::ExampleRule examples;
  bool negatives_by_count = false;
  /// present if the words are first found in the texts
  std::optional<VocabularyChoice> vocabulary;
  std::size_t early_reasons = 0;  ///< of `reasons`, those that hold for any number of words
  /// Steps over all rows are made by a row when a sample touches it, with the same bits: where
  /// samples touch few of many rows.
  bool lazy = false;

  /// What the noisy sum of a step is divided by.
  [[nodiscard]] double divisor() const;
  [[nodiscard]] privacy::RowLayout layout() const;
  /// Different rows that a unit may touch in a step.
  [[nodiscard]] std::int64_t max_rows_per_unit() const;
  /// The address of the release that finds words, behind those of all steps and of a first choice.
  [[nodiscard]] std::uint64_t vocabulary_step() const {
    return static_cast<std::uint64_t>(steps) + 1;
  }
};

/// UsageError for what makes no sense, GuaranteeError where nothing is proved. `unit` is
/// the privacy unit.
[[nodiscard]] WordPlan plan_words(const data::Vocabulary& vocabulary, const std::string& unit,
                                  const WordOptions& options);

/// The public stand-in for words that are yet to be found: as many as options.select_vocabulary.
[[nodiscard]] data::Vocabulary words_to_be_found(const WordOptions& options);

/// A plan that was made for words to be found, for those that were: what is released and at which
/// noise stays as it was booked; tables, thresholds and step size follow the number of words.
[[nodiscard]] WordPlan with_words(const WordPlan& booked, const data::Vocabulary& found,
                                  const WordOptions& options);

/// The settings of a plan, for planning and for the way back from a receipt.
void list_settings(SettingList& list, WordPlan& plan);

/// `embed`, for the way back from a receipt (learn::check_receipt). It trains no linear model.
[[nodiscard]] const Method& words_method();

}  // namespace tacet::learn
