#include "tacet/run/word_vectors.h"

#include <string>
#include <utility>
#include <vector>

namespace tacet::run {

TrainedVectors train_vectors(const learn::WordPlan& booked, const data::Vocabulary& vocabulary,
                             const learn::WordOptions& options, data::OpenCorpus& texts,
                             const learn::TrainingContext& context) {
  learn::check_unit_count(texts.corpus, booked, context);  // before anything is spent
  auto words = vocabulary;
  auto plan = booked;
  if (booked.vocabulary) {
    words = learn::choose_vocabulary(*booked.vocabulary, texts, booked.vocabulary_step(),
                                     booked.guarantee.adjacency, context);
    plan = learn::with_words(booked, words, options);
  }
  auto trained = learn::train_words(texts.corpus, words, plan, context);
  return {std::move(words), std::move(plan), std::move(trained)};
}

std::int64_t vector_size(const TrainedVectors& found, VectorsOf which) {
  const auto& shape = found.plan.shape;
  return which == VectorsOf::contexts ? shape.width() : shape.dimensions;
}

void visit_vectors(
    const TrainedVectors& found, VectorsOf which,
    const std::function<void(std::string_view word, std::span<const float>)>& visit) {
  const auto& shape = found.plan.shape;
  const auto& rows = found.trained.rows;
  const auto numbers = static_cast<std::size_t>(vector_size(found, which));
  std::vector<float> room(rows.room_size());
  for (std::int32_t k = 0; k < found.vocabulary.size(); ++k) {
    const auto row = which == VectorsOf::contexts ? shape.context_row(k) : shape.target_row(k);
    visit(found.vocabulary.word(k), rows.read(row, room).first(numbers));
  }
}

void write_vectors(const TrainedVectors& found, VectorsOf which, model::VectorFormat format,
                   const model::VectorWriter::Sink& sink) {
  model::VectorWriter writer(format, found.vocabulary.size(), vector_size(found, which), sink);
  visit_vectors(found, which, [&](std::string_view word, std::span<const float> vector) {
    writer.add(word, vector);
  });
  writer.finish();
}

}  // namespace tacet::run
