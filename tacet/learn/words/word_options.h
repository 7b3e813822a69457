#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tacet/data/words/unit_examples.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/rows/row_choice.h"
#include "tacet/learn/rows/row_optimizer.h"
#include "tacet/model/words/word_shape.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::learn {

/// What a user asks of vectors of words. Everything left out is chosen from public facts.
struct WordOptions {
  double epsilon = 0;           ///< above 0; infinity trains without protection
  std::optional<double> delta;  ///< above 0
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  std::optional<std::int64_t> public_row_count;  ///< of units
  std::optional<std::int64_t> batch_size;        ///< units a step, their expected number
  std::optional<double> epochs;
  std::optional<std::int64_t> steps;
  std::optional<double> step_size;
  std::optional<double> clipping_norm;
  std::optional<std::int64_t> select_vocabulary;   ///< so many words, found in the texts
  std::optional<double> vocabulary_epsilon;        ///< of epsilon, for finding them
  std::optional<std::int64_t> max_words_per_unit;  ///< that count there
  std::int64_t dimensions = 100;
  data::ExampleRule examples{};  ///< but for the unit and its examples
  bool pairs_as_units = false;   ///< each pair by itself is protected, no text and nobody's texts
  std::optional<std::int64_t> max_pairs_per_unit;
  int tables = 2;
  std::optional<RowOptimizerKind> optimizer;
  std::optional<WordSelection> selection;
  std::optional<double> selection_share;
  std::optional<double> threshold;  ///< in units that touch a word; sparse_vector: of a sum
  std::optional<optimize::Granularity> granularity;
  optimize::SecondClip second_clip = optimize::SecondClip::masked;
  std::optional<double> aggregate_norm;
  std::optional<std::int64_t> selected;  ///< rows, cells or words
  std::optional<double> score_bound;
  std::optional<double> selection_epsilon;
  std::optional<double> sample;     ///< of frequent words, by public counts
  bool negatives_by_count = false;  ///< by public counts to the power 3/4
  bool paper = false;               ///< noise by Theorem 3 of Zhang, Mironov, Hejazinia (2021)
  bool by_frequency = false;        ///< the vocabulary is in the public order of frequency
  std::uint64_t start_seed = 1;
};

/// The parameters of `tacet embed`, in the order of its help page.
[[nodiscard]] std::span<const Parameter> word_parameters();

/// Reads and checks the values that a user gave. UsageError names the parameter, what was given and
/// what is allowed.
[[nodiscard]] WordOptions word_options(const OptionValues& values);

}  // namespace tacet::learn
