#pragma once

#include "tacet/base/threads.h"
#include "tacet/data/schema/curves.h"
#include "tacet/data/schema/schema.h"

/// The directions in which the functions of principal curves vary most, without their linear part.
/// Only the seed, the schema's columns and the whitening decide them: public facts and released
/// numbers.
namespace tacet::data {

/// `curves` with its directions: `even`, `energy`, `weights` and `lines` are set. Records are
/// assumed to have standard normal numbers, and categories that are equally frequent. Numbers have
/// the correlations that `whitening` removes, none if it is empty. Under that law, moments of waves
/// have a closed form, and moments of hat functions are sums over a fixed grid. If the functions
/// have fewer directions than asked for, the rest of the map is 0. The same bits on every machine
/// and for any number of threads.
[[nodiscard]] Curves with_directions(const Curves& curves, const CurveShape& shape,
                                     base::ThreadPool& threads);

/// As with_directions(), for trainings: with fewer than few_directions the numbers are independent,
/// since so few directions mean much noise (learn/plan/curves.h), and correlations that are mostly
/// noise do not help (bench/utility/auto_rules.md).
[[nodiscard]] Curves with_map(const Curves& curves, const CurveShape& shape,
                              base::ThreadPool& threads);
/// Twice as many with several columns of categories, whose number of directions is doubled.
inline constexpr std::int64_t few_directions = 125;

}  // namespace tacet::data
