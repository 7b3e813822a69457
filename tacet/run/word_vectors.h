#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "tacet/data/words/corpus.h"
#include "tacet/data/words/vocabulary.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/learn/words/word_training.h"
#include "tacet/model/words/word_vectors.h"

/// Vectors of words from private texts, between the steps of run::spend.
namespace tacet::run {

struct TrainedVectors {
  data::Vocabulary vocabulary;
  learn::WordPlan plan;  ///< for these words
  learn::TrainedWords trained;
};

/// Finds the words first, where the plan says so, and trains. `vocabulary` is the public one, or
/// the stand-in for words to be found.
[[nodiscard]] TrainedVectors train_vectors(const learn::WordPlan& booked,
                                           const data::Vocabulary& vocabulary,
                                           const learn::WordOptions& options,
                                           data::OpenCorpus& texts,
                                           const learn::TrainingContext& context);

/// Vectors of words as such, or as contexts, with their bias behind them.
enum class VectorsOf { words, contexts };

/// How many numbers each of them has.
[[nodiscard]] std::int64_t vector_size(const TrainedVectors& found, VectorsOf which);
void visit_vectors(const TrainedVectors& found, VectorsOf which,
                   const std::function<void(std::string_view word, std::span<const float>)>& visit);
void write_vectors(const TrainedVectors& found, VectorsOf which, model::VectorFormat format,
                   const model::VectorWriter::Sink& sink);

}  // namespace tacet::run
