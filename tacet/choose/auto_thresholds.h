#pragma once

#include <cstddef>
#include <cstdint>

/// Where `auto` turns from one choice to another, each with the bench that chose it.
/// bench/utility/auto_rules.md has what each rests on; auto_rules() prints the table of
/// docs/methods/auto.md from these numbers and from those of learn (plan/curves.h, plan/knots.h,
/// gradient/feature_selection.h).
namespace tacet::choose {

/// Declared records times epsilon, for each encoded column, from which purely private numbers are
/// learned by ladder: bench/utility/methods.py.
inline constexpr double ladder_records = 1000;

/// The same, below which the noise of every pure method drowns the columns: bench/utility/auto.py.
inline constexpr double constant_records = 200;

/// Noise in the mean gradient beyond which a constant is learned: bench/utility/auto.py. Which
/// class is the more frequent one is soon known, so columns of classes are of use for longer.
inline constexpr double max_noise_numbers = 0.3;
inline constexpr double max_noise_classes = 4;

/// The same, up to which means are released before the steps: bench/utility/auto_constants.py.
inline constexpr double max_noise_standardised = 0.2;

/// And beyond which steps go half of the path where means are released of numbers to predict:
/// bench/utility/auto_constants.py.
inline constexpr double long_path_noise = 0.055;
inline constexpr double short_path = 0.5;

/// Columns of numbers up to which means are released. No bench decides it: none of the tables that
/// rules are chosen on has more than 38.
inline constexpr std::size_t max_numbers = 64;

/// Noise `a` of curves up to which a plan names nets: bench/utility/nets.py.
inline constexpr double max_net_noise = 1e-4;

/// From this number of classes on, all features of texts and the like are kept, up to the number of
/// weights below. Several classes share the price of choosing, and each pays by itself for a
/// feature that is left out (bench/utility/rules.py). More weights are tens of megabytes of model.
inline constexpr std::int64_t classes_for_all_columns = 3;
inline constexpr std::int64_t max_weights_of_all_columns = std::int64_t{1} << 22;

}  // namespace tacet::choose
