#pragma once

#include "tacet/base/threads.h"
#include "tacet/data/schema/curves.h"
#include "tacet/data/schema/schema.h"

/// The directions in which the functions of principal curves differ most, less what a linear model
/// says. Nothing but the seed, the schema's columns and the whitening decides them: public facts
/// and released numbers.
namespace tacet::data {

/// `curves` with its directions: `even`, `energy`, `weights` and `lines` are set. Records are taken
/// to have standard normal numbers, and the categories of a column equally often. Numbers have the
/// correlations that `whitening` takes off, none where it is empty. Moments of waves under that law
/// are in closed form, those of hat functions sums over a fixed grid. Where the functions have
/// fewer directions than asked for, the rest of the map is 0. The same bits on every machine and
/// for any number of threads.
[[nodiscard]] Curves with_directions(const Curves& curves, const CurveShape& shape,
                                     base::ThreadPool& threads);

}  // namespace tacet::data
