// Faults of selections: weights, noise, and what several draws cost.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/data/words/corpus.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/partition_selection.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;

constexpr privacy::Guarantee pure{1, 0, add_remove};

/// The first half of some numbers is larger by one than the second half, or the other way round.
mechanism::Scores halves(std::size_t each, bool other) {
  std::vector<std::int64_t> scores(2 * each, other ? 0 : 1);
  std::fill_n(scores.begin(), each, other ? 1 : 0);
  return mechanism::Scores::integers(std::move(scores), 1, mechanism::Movement::any, add_remove);
}

/// Which queries are above the threshold, each half against the other.
Finding answers(std::int64_t positives) {
  constexpr std::int64_t each = 10;
  const mechanism::SparseVectorOptions options{
      .threshold = 1, .max_positives = positives, .selection_epsilon = privacy::Epsilon(1)};
  const auto event = mechanism::sparse_vector_event(options, add_remove);
  return audited(subject_of(event, pure,
                            [=](bool other, const ReleaseContext& context) {
                              const auto found = mechanism::release_sparse_vector(
                                  halves(each, other), options, context);
                              double balance = 0;
                              for (const auto& positive : found.value().positives) {
                                balance += positive.index < each ? 1 : -1;
                              }
                              return balance;
                            }),
                 50000);
}

/// How many of the three that are chosen are of the first half.
Finding top_k_priced_as_one() {
  const auto event = mechanism::top_event(3, privacy::Epsilon(1), add_remove);
  const auto claim = accounting::account(event, add_remove, privacy::Delta(0));
  return audited(subject_of(privacy::Repeated{3, event}, claim,
                            [=](bool other, const ReleaseContext& context) {
                              const auto chosen = mechanism::select_top(
                                  halves(3, other), 3, privacy::Epsilon(1), context);
                              return static_cast<double>(std::ranges::count_if(
                                  chosen.value(), [](auto i) { return i < 3; }));
                            }),
                 50000);
}

/// What is shown of a choice is the place of a candidate and nothing else.
Finding noisy_max_shows_its_value() {
  constexpr std::int64_t runs = 100;
  const auto event =
      mechanism::noisy_max_event(mechanism::NoisyMax::laplace, privacy::Epsilon(1), add_remove);
  auto subject = subject_of(event, pure, [](bool other, const ReleaseContext& context) {
    return static_cast<double>(mechanism::select_noisy_max(mechanism::NoisyMax::laplace,
                                                           halves(5, other), privacy::Epsilon(1),
                                                           context)
                                   .value());
  });
  std::vector<double> out(runs);
  subject.draw(false, 1, out);
  return certain(std::ranges::any_of(out, [](double place) { return place < 0 || place > 9; }),
                 runs);
}

/// A word that a single unit has is released as often as the delta says that words have, whatever
/// smaller delta the accountant takes for enough.
Finding half_of_a_delta_forgotten() {
  const mechanism::PartitionRule rule{privacy::NoiseMultiplier(3), 0.1};
  const auto event = mechanism::partition_selection_event(rule, add_remove);
  const auto texts = [](const char* content) {
    return data::read_open_corpus(data::memory_source(content, "texts"), "texts", {});
  };
  const auto none = texts("");
  const auto one = texts("word\n");
  Finding worst{1, 0};
  for (const double delta : {0.06, 0.11}) {
    const auto claim = accounting::account(event, add_remove, privacy::Delta(delta));
    if (std::isinf(claim.epsilon)) continue;  // no claim
    const auto found =
        audited(subject_of(event, claim,
                           [&](bool other, const ReleaseContext& context) {
                             const auto counts = optimize::word_presence(
                                 other ? one : none, {.draws = [](std::int64_t) { return 0U; }});
                             const auto words =
                                 mechanism::select_partitions(counts, rule, add_remove, context);
                             return words.value().empty() ? 0.0 : 1.0;
                           }),
                10000);
    worst = {std::min(worst.p_value, found.p_value), found.runs};
  }
  return worst;
}

constexpr FaultTest tests[] = {
    {"half_of_a_delta_forgotten", half_of_a_delta_forgotten},
    {"exponential_without_half", [] { return audited("exponential", pure, 30000); }},
    {"flip_without_half", [] { return audited("permute-and-flip", pure, 30000); }},
    {"sparse_vector_without_query_noise", [] { return audited("sparse-vector", pure, 3000); }},
    {"sparse_vector_noise_for_one_positive", [] { return answers(10); }},
    {"sparse_vector_without_end", [] { return answers(1); }},
    {"noisy_max_shows_its_value", noisy_max_shows_its_value},
    {"top_k_priced_as_one", top_k_priced_as_one}};

}  // namespace

std::span<const FaultTest> selection_tests() { return tests; }

}  // namespace tacet::faults
