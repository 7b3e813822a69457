#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/base/names.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/model/words/word_shape.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::learn {

/// Which rows or cells of the tables a step may move, and gets noise for
/// (docs/methods/selections.md).
enum class WordSelection {
  all,               ///< every row: plain noisy descent
  adafest,           ///< rows of words that enough units touch, by a noisy count (Ghazi 2023)
  adafest_plus,      ///< the same, among words that were chosen once, before training
  fest,              ///< rows of words that were chosen once, before training (Ghazi 2023)
  exponential,       ///< k of the longest sums (Zhang, Mironov, Hejazinia 2021, algorithm 4)
  permute_and_flip,  ///< the same by permute-and-flip
  sparse_vector,     ///< the first k whose noisy score reaches a threshold
  uniform,           ///< k at random
  fixed              ///< rows of the first k words of the vocabulary
};
inline constexpr auto word_selection_names =
    base::names<WordSelection>({{WordSelection::all, "all"},
                                {WordSelection::adafest, "adafest"},
                                {WordSelection::adafest_plus, "adafest_plus"},
                                {WordSelection::fest, "fest"},
                                {WordSelection::exponential, "exponential"},
                                {WordSelection::permute_and_flip, "permute_and_flip"},
                                {WordSelection::sparse_vector, "sparse_vector"},
                                {WordSelection::uniform, "uniform"},
                                {WordSelection::fixed, "fixed"}});
inline constexpr auto granularity_names = base::names<optimize::Granularity>(
    {{optimize::Granularity::row, "row"}, {optimize::Granularity::coordinate, "coordinate"}});
inline constexpr auto second_clip_names =
    base::names<optimize::SecondClip>({{optimize::SecondClip::masked, "masked"},
                                       {optimize::SecondClip::aggregate, "aggregate"},
                                       {optimize::SecondClip::none, "none"}});

/// How the rows of a step are chosen, resolved from public facts.
struct RowChoice {
  WordSelection kind = WordSelection::all;
  optimize::Granularity granularity = optimize::Granularity::row;
  optimize::SecondClip second = optimize::SecondClip::masked;
  double aggregate = 0;  ///< norm of the chosen part of the sum, if SecondClip::aggregate is used
  /// number of rows or cells per step; of words for `fixed`, and for `fest`, for which 0 means a
  /// threshold
  std::int64_t count = 0;
  double score_bound = 0;  ///< longer sums score as this
  double threshold = 0;    ///< in units that touch a word; for sparse_vector a norm of a row's sum
  double noise = 0;        ///< noise multiplier of the counts of words in a step
  double epsilon = 0;      ///< per draw; for sparse_vector per step
  double threshold_share = 0;  ///< SparseVectorOptions::threshold_share
  double first_threshold = 0;  ///< of the choice before training; in units that touch a word
  double first_noise = 0;      ///< noise multiplier of its counts
  double first_epsilon = 0;    ///< of each of its draws
  std::optional<mechanism::ScoreBounds> bounds = {};  ///< if sums are scored

  /// Whether rows are scored by the norm of their sums of gradients.
  [[nodiscard]] bool scores_sums() const;
  /// Whether every step counts the units that touch a word.
  [[nodiscard]] bool counts_words() const;
  /// Words once, before training.
  [[nodiscard]] bool chooses_first() const;
  /// Whether a step needs its gradients after rows were chosen by them, or as they are without.
  [[nodiscard]] bool holds_gradients() const;

  [[nodiscard]] mechanism::SparseVectorOptions sparse_vector() const;
};

/// The event of a step's choice on its sample; absent if it reads no record.
[[nodiscard]] std::optional<privacy::Event> step_choice_event(const RowChoice& choice,
                                                              privacy::Adjacency adjacency);
/// The event of the choice before training; absent if there is none.
[[nodiscard]] std::optional<privacy::Event> first_choice_event(const RowChoice& choice,
                                                               privacy::Adjacency adjacency);

/// Both rows of each word (the one row of each, with one table).
[[nodiscard]] privacy::RowSelection rows_of_words(const model::WordShape& shape,
                                                  std::span<const std::int64_t> words);

/// The words that are chosen before training, by the words that each unit touches.
[[nodiscard]] std::vector<std::int64_t> choose_first_words(const RowChoice& choice,
                                                           const optimize::RowBatch& touched,
                                                           const mechanism::ReleaseContext& context,
                                                           privacy::Adjacency adjacency);

/// The words that a step chooses, by the words that its units touch; among `words` if those were
/// chosen before.
[[nodiscard]] std::vector<std::int64_t> choose_words(const RowChoice& choice,
                                                     const optimize::RowBatch& touched,
                                                     std::span<const std::int64_t> words,
                                                     const mechanism::PermitContext& context);

/// The rows or cells of a step, by the sum of its gradients, each clipped to `clipping_norm`.
[[nodiscard]] privacy::RowSelection choose_by_score(const RowChoice& choice,
                                                    const optimize::RowBatch& gradients,
                                                    double clipping_norm,
                                                    const mechanism::PermitContext& context);

/// The rows or cells of a step that are chosen at random.
[[nodiscard]] privacy::RowSelection choose_at_random(const RowChoice& choice,
                                                     const privacy::RowLayout& layout,
                                                     mechanism::NoiseAddress address,
                                                     random::Source& source);

}  // namespace tacet::learn
