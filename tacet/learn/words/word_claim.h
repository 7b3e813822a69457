#pragma once

#include "tacet/learn/words/word_options.h"
#include "tacet/learn/words/word_plan.h"

/// Zhang, Mironov, Hejazinia (2021), Algorithm 3, as its Theorem 3 calibrates it.
namespace tacet::learn {

/// Sets the noise of the sum and of the choice by which the theorem claims options.epsilon at
/// delta, and what is proved for them; a third of its epsilon goes to a choice by scores, unless
/// selection-share says otherwise. False if less is proved than claimed; the caller then has to use
/// the proved noise. UsageError for a choice that the paper does not have.
[[nodiscard]] bool resolve_published_noise(WordPlan& plan, const WordOptions& options,
                                           double delta);

}  // namespace tacet::learn
