#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/audit/one_run.h"
#include "tacet/audit/phrases.h"
#include "tacet/data/words/corpus.h"
#include "tacet/data/words/random_draws.h"
#include "tacet/learn/rows/row_optimizer.h"

/// Texts that are inserted to see what training gives away of them.
namespace tacet::audit {

/// So many phrases of three different words each, uniform.
[[nodiscard]] std::vector<Phrase> random_phrases(std::int64_t count, std::int32_t words,
                                                 data::RandomDraws& draws);
/// Phrases that begin as `phrase` does, and go on with two different words, uniform.
[[nodiscard]] std::vector<Phrase> random_endings(const Phrase& phrase, std::int64_t count,
                                                 std::int32_t words, data::RandomDraws& draws);

/// Adds the phrase to the texts as `copies` records of its own, each of which says it `times`
/// times. For texts whose records are their units. How many records there are stays a public guess.
void insert_phrase(data::Corpus& texts, const Phrase& phrase, std::int64_t copies,
                   std::int64_t times);

/// The vectors as `tacet embed` writes them.
[[nodiscard]] ReleasedWords released_words(const learn::RowOptimizer& rows,
                                           const model::WordShape& shape);

/// Guesses that the half of `made` with the lowest surprise were inserted and the half with the
/// highest were not. `inserted` says which were.
[[nodiscard]] Guesses guess(std::span<const double> surprises, const std::vector<bool>& inserted,
                            std::int64_t made);

}  // namespace tacet::audit
