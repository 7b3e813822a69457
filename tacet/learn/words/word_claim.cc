#include "tacet/learn/words/word_claim.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/zhang2021.h"
#include "tacet/learn/words/word_selection.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/privacy/decimal.h"

namespace tacet::learn {
namespace {

// Table 1 gives selection 10 of 30.
constexpr double published_share = 1.0 / 3;

void expect_published(const WordPlan& plan, const WordOptions& options) {
  const auto kind = plan.choice.kind;
  const bool known = kind == WordSelection::all || kind == WordSelection::uniform ||
                     kind == WordSelection::exponential || kind == WordSelection::sparse_vector;
  if (!known || options.select_vocabulary) {
    throw base::UsageError(
        "calibration paper is for selections all, uniform, exponential and sparse_vector, and for "
        "words that are known before, as in Zhang, Mironov and Hejazinia (2021)");
  }
  if (options.selection_epsilon) {
    throw base::UsageError(
        "calibration paper determines what a draw costs; leave out `selection_epsilon`, or say "
        "what "
        "the choice gets with `selection_share`");
  }
}

/// What the step's choice is claimed to cost becomes its epsilon.
void resolve_published_choice(WordPlan& plan, const zhang2021::Claim& choice_claim) {
  auto& choice = plan.choice;
  if (choice.kind == WordSelection::exponential) {
    choice.epsilon =
        zhang2021::draw_epsilon(choice_claim.epsilon, choice.count, choice_claim.delta);
    // Its loop runs from 0 to floor(gamma p): one draw more than it is accounted for.
    if (choice.count < plan.layout().cells()) ++choice.count;
    return;
  }
  const auto run = mechanism::zhang2021_sparse_vector(
      choice.count, 0, {choice_claim.epsilon, choice_claim.delta, plan.guarantee.adjacency});
  choice.epsilon = run.selection_epsilon.value();
  choice.threshold_share = run.threshold_share;
}

}  // namespace

bool resolve_published_noise(WordPlan& plan, const WordOptions& options, double delta) {
  expect_published(plan, options);
  const zhang2021::Steps steps{static_cast<double>(plan.batch),
                               static_cast<double>(plan.public_row_count),
                               static_cast<double>(plan.steps)};
  const double of_step = zhang2021::step_delta(steps, delta);
  if (!(of_step < 1)) {
    throw base::UsageError("Theorem 3's delta of a step is {:.3g}, not below 1; use more epochs",
                           of_step);
  }
  const double parts = options.epsilon / zhang2021::growth(steps, delta);
  const double share =
      plan.choice.scores_sums() ? options.selection_share.value_or(published_share) : 0;
  if (share > 0) resolve_published_choice(plan, {share * parts, of_step});
  plan.noise = zhang2021::noise_for((1 - share) * parts, of_step);
  plan.calibration = Calibration::zhang2021;
  plan.events = releases(plan);
  plan.claim = privacy::Guarantee{options.epsilon, delta, options.adjacency};
  // The PRG slack grows with e^epsilon: it is that of what is proved, not of the claim.
  const double proved_at_half =
      accounting::epsilon(plan.events, options.adjacency, privacy::Delta(delta / 2));
  plan.guarantee = accounting::stated_guarantee(
      plan.events,
      {std::min(options.epsilon, privacy::decimal_up(proved_at_half)), delta, options.adjacency},
      plan.prg_slack);
  const bool proved = plan.guarantee.epsilon <= options.epsilon;
  plan.reasons.add(
      "Theorem 3 claims ({:g}, {:g}) for noise {:.4g}: not proved there{}. Proved for it: ({:.4g}, "
      "{:g}){}",
      options.epsilon, delta, plan.noise,
      zhang2021::step_premise(steps, parts) ? ", though its premise holds"
                                            : ", since its premise is violated",
      plan.guarantee.epsilon, delta, proved ? "" : "; the proved noise stands in its place");
  if (!proved) plan.choice.threshold_share = 0;
  return proved;
}

}  // namespace tacet::learn
