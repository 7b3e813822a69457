#pragma once

#include <cstdint>

/// The calibration of Zhang, Mironov, Hejazinia, "Wide Network Learning with Differential Privacy"
/// (2021), for reproductions: what the paper claims, as formulas. Nothing here is relied upon for a
/// guarantee; the methods account what they release by their own proofs. Symbols are the paper's.
/// docs/explanations/paper-calibration.md lists what of it is true.
namespace tacet::learn::zhang2021 {

struct Claim {
  double epsilon;
  double delta;
};

/// Theorem 1: what one step of Algorithm 2 may cost, T steps that each read one of m groups drawn
/// in secret, for `whole` to hold of all. Refuted: such a choice does not amplify epsilon.
[[nodiscard]] Claim group_step(const Claim& whole, std::int64_t m, std::int64_t T);
/// Its premise, m <= 10 sqrt(T).
[[nodiscard]] bool group_premise(std::int64_t m, std::int64_t T);

/// Samples of b of n records, T steps of Algorithm 3.
struct Steps {
  double b;
  double n;
  double T;
};
/// Theorem 3: delta' of a step, n delta / (4 b T).
[[nodiscard]] double step_delta(const Steps& steps, double delta);
/// How many times what a step's parts cost the whole costs: (4 b / n) sqrt(T ln(n / (2 b T
/// delta'))).
[[nodiscard]] double growth(const Steps& steps, double delta);
/// What the noise of a step costs by its Lemma 3, 2 sqrt(2 ln(1.25 / delta')) / sigma, and the
/// noise for which that is `epsilon`.
[[nodiscard]] double noise_part(double sigma, double step_delta);
[[nodiscard]] double noise_for(double epsilon, double step_delta);
/// Algorithm 4: epsilon'' of each of k draws that are to cost `epsilon` together, epsilon / sqrt(2
/// k ln(1 / delta')): without the second term of advanced composition.
[[nodiscard]] double draw_epsilon(double epsilon, std::int64_t k, double step_delta);
/// Theorem 3's premise: b/n times what a step's parts cost is at most 1 / sqrt(T).
[[nodiscard]] bool step_premise(const Steps& steps, double parts);

}  // namespace tacet::learn::zhang2021
