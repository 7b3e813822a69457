#pragma once

#include "tacet/learn/words/word_options.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/privacy/event.h"

/// The part of a plan of word vectors that chooses rows: resolved after its steps.
namespace tacet::learn {

/// Kind, granularity and numbers, without noise. UsageError for what has no meaning together.
void resolve_choice(WordPlan& plan, const WordOptions& options);

/// Noise of the choice and of the sum so that both cost about as much as one release of the
/// multiplier `whole` in every step, the choice its share of it.
void split_noise(WordPlan& plan, const WordOptions& options, double whole);

/// Thresholds, once the noise is known.
void resolve_thresholds(WordPlan& plan, const WordOptions& options);

/// All that training releases.
[[nodiscard]] privacy::Event releases(const WordPlan& plan);

/// The settings of the choice, and what follows from them where a plan was read back. DataError for
/// a choice of more rows than there are.
void list_choice(SettingList& list, RowChoice& choice);
void resolve_recorded_choice(WordPlan& plan);

}  // namespace tacet::learn
