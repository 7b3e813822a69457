#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/words/corpus.h"
#include "tacet/learn/rows/row_optimizer.h"
#include "tacet/model/words/word_pairs.h"

namespace tacet::bench {

/// Losses of listed pairs, each with the negatives of its record.
class WordLosses {
 public:
  WordLosses(const data::Corpus& corpus, const model::WordShape& shape)
      : corpus_(corpus), pairs_(shape) {}

  /// Mean over all pairs.
  double mean(const learn::RowOptimizer& rows) {
    double total = 0;
    const auto room = rows.room_size();
    for (std::int64_t record = 0; record < corpus_.record_count(); ++record) {
      const auto words = corpus_.record(record);
      const data::WordExample example{words.first(1), words[1], words.subspan(2)};
      const auto touched = pairs_.begin(example);
      if (room_.size() < room * touched.size()) room_.resize(room * touched.size());
      pointers_.clear();
      for (std::size_t k = 0; k < touched.size(); ++k) {
        pointers_.push_back(rows.read(touched[k], std::span(room_).subspan(k * room, room)).data());
      }
      pairs_.evaluate(pointers_);
      total += pairs_.loss();
    }
    return total / static_cast<double>(corpus_.record_count());
  }

 private:
  const data::Corpus& corpus_;
  model::WordPairs<float> pairs_;
  std::vector<float> room_;
  std::vector<const float*> pointers_;
};

}  // namespace tacet::bench
