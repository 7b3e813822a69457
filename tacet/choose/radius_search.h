#pragma once

#include <cstdint>
#include <vector>

#include "tacet/choose/choice.h"
#include "tacet/learn/plan/arora2022.h"

/// Algorithm 1 of Arora, Bassily, Guzman, Menart, Ullah 2022: the radius of the ball is not known,
/// so a model is trained on each of several balls and one of them chosen privately, the model of
/// all zeros always among them (docs/methods/radius-search.md).
namespace tacet::choose {

/// Plans `radius=auto` for a method that reads a radius: eight radii B0 2^j on 70 % of the
/// records, which share that block's budget by mu / sqrt(8) (epsilon / 8 where it is pure), and
/// permute-and-flip at the whole epsilon on the other 30 %, of losses of the predictions as they
/// ship. calibration arora2022: its number of radii 2^j, epsilon / K and delta / K each, halves,
/// and the generalised exponential mechanism's scores of losses capped by each ball, with Bernstein
/// penalties.
[[nodiscard]] ChoicePlan resolve_radius_search(const data::Schema& schema,
                                               const learn::ParameterValues& values);

[[nodiscard]] const learn::Method& radius_search_method();

/// B0: a quarter of Y / (sqrt(H) X) for numbers in [-1, 1], 1 / X for classes.
[[nodiscard]] double min_radius(double curvature, double norm_bound, bool classes);

/// The paper's K = max(1, ceil(log2(Y (n epsilon)^(1/3) / (sqrt(H) X)))), Y^2 the loss at zero
/// times two.
[[nodiscard]] std::int64_t paper_radii(double rows, double epsilon, double curvature,
                                       double norm_bound);

/// tau = min(C, sqrt(2 L0 C u) + C u) of a record, u = ln(4 K / beta) / n: how far a mean of n
/// losses in [0, C] whose mean is at most L0 may lie below it (Bernstein), public.
struct Bernstein {
  double rows;
  double candidates;
  double failure;
  double loss_at_zero;
};
[[nodiscard]] double bernstein_penalty(const Bernstein& facts, double cap);

}  // namespace tacet::choose
