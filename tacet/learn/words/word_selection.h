#pragma once

#include <cstdint>
#include <vector>

#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/words/word_options.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/privacy/event.h"

/// The part of a plan of word vectors that chooses rows: settled after its steps.
namespace tacet::learn {

/// Kind, granularity and numbers, without noise. UsageError for what has no meaning together.
void resolve_choice(WordPlan& plan, const WordOptions& options);

/// Noise of the choice and of the sum so that both cost about as much as one release of the
/// multiplier `whole` in every step, the choice its share of it.
void split_noise(WordPlan& plan, const WordOptions& options, double whole);

/// Thresholds, once the noise is known.
void resolve_thresholds(WordPlan& plan, const WordOptions& options);

/// What a step takes from its sample: the choice, if that reads records, and the sum.
[[nodiscard]] std::vector<privacy::Event> step_parts(const WordPlan& plan);
/// All that training releases.
[[nodiscard]] privacy::Event planned_events(const WordPlan& plan);

/// The settings of the choice, and the way back from a receipt.
void add_choice_settings(WordPlan& plan);
void read_choice(WordPlan& plan, RecordedParameters& parameters);

}  // namespace tacet::learn
