#pragma once

#include <cstdint>

/// The calibration of Zhang, Mironov, Hejazinia, "Wide Network Learning with Differential Privacy"
/// (2021), for reproductions: what the paper claims, as formulas. No guarantee depends on them; the
/// methods account their releases by their own proofs. Symbols are the paper's.
/// docs/explanations/paper-calibration.md lists which claims are true.
namespace tacet::learn::zhang2021 {

struct Claim {
  double epsilon;
  double delta;
};

/// Theorem 1: the cost that one step of Algorithm 2 may have so that `whole` holds for T steps,
/// each of which reads one of m groups, drawn in secret. It is refuted: such a draw does not
/// amplify epsilon.
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
/// The cost of the whole over that of the parts of a step: (4 b / n) sqrt(T ln(n / (2 b T
/// delta'))).
[[nodiscard]] double growth(const Steps& steps, double delta);
/// The cost of a step's noise by Lemma 3, 2 sqrt(2 ln(1.25 / delta')) / sigma, And the noise whose
/// cost is `epsilon`.
[[nodiscard]] double noise_part(double sigma, double step_delta);
[[nodiscard]] double noise_for(double epsilon, double step_delta);
/// Algorithm 4: epsilon'' of each of k draws that are to cost `epsilon` together, epsilon / sqrt(2
/// k ln(1 / delta')): without the second term of advanced composition.
[[nodiscard]] double draw_epsilon(double epsilon, std::int64_t k, double step_delta);
/// The premise of Theorem 3: b/n times the cost of the parts of a step is at most 1 / sqrt(T).
[[nodiscard]] bool step_premise(const Steps& steps, double parts);

}  // namespace tacet::learn::zhang2021
