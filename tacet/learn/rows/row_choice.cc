#include "tacet/learn/rows/row_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/mechanism/select/crossings.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/optimize/sums/presence_sum.h"

namespace tacet::learn {
namespace {

std::int64_t presence_units(double threshold) {
  return static_cast<std::int64_t>(
      std::ceil(threshold * static_cast<double>(optimize::presence_norm)));
}

privacy::RowSelection selection_of(const RowChoice& choice, std::vector<std::int64_t> chosen) {
  if (choice.granularity == optimize::Granularity::row) {
    return privacy::RowSelection::rows(std::move(chosen));
  }
  return privacy::RowSelection::cells(std::move(chosen));
}

}  // namespace

bool RowChoice::scores_sums() const {
  return kind == WordSelection::exponential || kind == WordSelection::permute_and_flip ||
         kind == WordSelection::sparse_vector;
}

bool RowChoice::counts_words() const {
  return kind == WordSelection::adafest || kind == WordSelection::adafest_plus;
}

bool RowChoice::chooses_first() const {
  return kind == WordSelection::fest || kind == WordSelection::adafest_plus;
}

bool RowChoice::holds_gradients() const {
  return scores_sums() || second != optimize::SecondClip::masked;
}

mechanism::SparseVectorOptions RowChoice::sparse_vector() const {
  return {.form = mechanism::SparseVectorForm::redrawn_threshold,
          .threshold = threshold * static_cast<double>(bounds->score_bound) / score_bound,
          .max_positives = count,
          .selection_epsilon = privacy::Epsilon(epsilon),
          .threshold_share = threshold_share};
}

std::optional<privacy::Event> step_choice_event(const RowChoice& choice,
                                                privacy::Adjacency adjacency) {
  if (choice.counts_words()) return privacy::Gaussian{choice.noise};
  if (!choice.scores_sums()) return std::nullopt;
  const privacy::Epsilon epsilon(choice.epsilon);
  if (choice.kind == WordSelection::exponential) {
    return mechanism::top_event(*choice.bounds, choice.count, epsilon);
  }
  if (choice.kind == WordSelection::permute_and_flip) {
    return mechanism::permute_and_flip_top_event(choice.count, epsilon, adjacency);
  }
  return mechanism::sparse_vector_event(choice.sparse_vector(), adjacency);
}

std::optional<privacy::Event> first_choice_event(const RowChoice& choice,
                                                 privacy::Adjacency adjacency) {
  if (!choice.chooses_first()) return std::nullopt;
  if (choice.count == 0) return privacy::Gaussian{choice.first_noise};
  return mechanism::top_event(choice.count, privacy::Epsilon(choice.first_epsilon), adjacency);
}

privacy::RowSelection rows_of_words(const model::WordShape& shape,
                                    std::span<const std::int64_t> words) {
  std::vector<std::int64_t> rows;
  rows.reserve(words.size() * static_cast<std::size_t>(shape.tables));
  for (const auto number : words) {
    const auto word = static_cast<std::int32_t>(number);
    rows.push_back(shape.target_row(word));
    if (shape.tables == 2) rows.push_back(shape.context_row(word));
  }
  return privacy::RowSelection::rows(std::move(rows));
}

std::vector<std::int64_t> choose_first_words(const RowChoice& choice,
                                             const optimize::RowBatch& touched,
                                             const mechanism::ReleaseContext& context,
                                             privacy::Adjacency adjacency) {
  if (choice.count == 0) {
    return mechanism::release_crossings(touched.presence(),
                                        privacy::NoiseMultiplier(choice.first_noise),
                                        presence_units(choice.first_threshold), context)
        .value();
  }
  auto words = mechanism::select_top(touched.row_counts(adjacency), choice.count,
                                     privacy::Epsilon(choice.first_epsilon), context)
                   .value();
  std::ranges::sort(words);
  return words;
}

std::vector<std::int64_t> choose_words(const RowChoice& choice, const optimize::RowBatch& touched,
                                       std::span<const std::int64_t> words,
                                       const mechanism::PermitContext& context) {
  const privacy::NoiseMultiplier noise(choice.noise);
  const auto threshold = presence_units(choice.threshold);
  if (choice.kind == WordSelection::adafest) {
    return mechanism::release_crossings(touched.presence(), noise, threshold, context).value();
  }
  const auto among = privacy::RowSelection::rows({words.begin(), words.end()});
  auto places =
      mechanism::release_crossings(touched.presence(among), noise, threshold, context).value();
  for (auto& place : places) place = words[static_cast<std::size_t>(place)];
  return places;
}

privacy::RowSelection choose_by_score(const RowChoice& choice, const optimize::RowBatch& gradients,
                                      double clipping_norm,
                                      const mechanism::PermitContext& context) {
  const auto scores = gradients.scores({choice.granularity, clipping_norm, choice.score_bound},
                                       choice.bounds->adjacency);
  const privacy::Epsilon epsilon(choice.epsilon);
  if (choice.kind == WordSelection::exponential) {
    return selection_of(choice,
                        mechanism::select_top(scores, choice.count, epsilon, context).value());
  }
  if (choice.kind == WordSelection::permute_and_flip) {
    return selection_of(
        choice,
        mechanism::select_top_permute_and_flip(scores, choice.count, epsilon, context).value());
  }
  const auto answer = mechanism::release_sparse_vector(scores, choice.sparse_vector(), context);
  std::vector<std::int64_t> chosen;
  for (const auto& positive : answer.value().positives) chosen.push_back(positive.index);
  return selection_of(choice, std::move(chosen));
}

privacy::RowSelection choose_at_random(const RowChoice& choice, const privacy::RowLayout& layout,
                                       mechanism::NoiseAddress address, random::Source& source) {
  const bool rows = choice.granularity == optimize::Granularity::row;
  return selection_of(
      choice, mechanism::choose_uniformly(choice.count, rows ? layout.rows() : layout.cells(),
                                          address, source));
}

}  // namespace tacet::learn
