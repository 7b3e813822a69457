#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "tacet/base/names.h"
#include "tacet/privacy/event.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/source/source.h"

/// The best of a secret number of runs, each private together with its score (Liu, Talwar 2019;
/// Papernot, Steinke 2022): about 1.4 times what one run costs, however many candidates there are.
/// docs/proofs/private-choice.md, section 4; the cost is accounting/routes/repetition.
namespace tacet::choose {

/// The law of the number of runs K.
enum class TrialLaw { logarithmic, geometric, poisson };
inline constexpr auto trial_law_names =
    base::names<TrialLaw>({{TrialLaw::logarithmic, "logarithmic"},
                           {TrialLaw::geometric, "geometric"},
                           {TrialLaw::poisson, "poisson"}});

/// `base` so often as the law says, its mean above 1; with a cap, K is at most that. UsageError for
/// a mean that the law does not have.
[[nodiscard]] privacy::RandomlyRepeated stopping_event(TrialLaw law, double mean, std::int64_t cap,
                                                       privacy::Event base);

/// P(K > cap).
[[nodiscard]] double beyond(const privacy::RandomlyRepeated& event, std::int64_t cap);

/// The least cap beyond which K lies with at most this probability.
[[nodiscard]] std::int64_t min_cap(const privacy::RandomlyRepeated& event, double probability);

/// K, drawn before anything is run: min(K, cap). The law that is drawn from is within
/// count_distance of it in total variation.
[[nodiscard]] std::int64_t draw_count(const privacy::RandomlyRepeated& event, std::int64_t cap,
                                      random::Stream& stream);
[[nodiscard]] double count_distance(const privacy::RandomlyRepeated& event);

template <typename Output>
struct ScoredRun {
  double score;  ///< larger is better; minus infinity is the worst
  Output output;
};

/// The output of the run with the best score, of equal ones any alike; nothing for no run. What the
/// others were is forgotten.
template <typename Run>
[[nodiscard]] auto best_of(std::int64_t count, random::Stream& ties, Run run)
    -> std::optional<decltype(run(std::int64_t{}).output)> {
  std::optional<decltype(run(std::int64_t{}))> best;
  std::uint64_t equals = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    auto next = run(k);
    if (best && next.score < best->score) continue;
    const bool better = !best || next.score > best->score;
    equals = better ? 1 : equals + 1;
    // The newest of m equals takes the place with probability 1/m.
    if (better || random::uniform_below(ties, equals) == 0) best = std::move(next);
  }
  if (!best) return std::nullopt;
  return std::move(best->output);
}

}  // namespace tacet::choose
