#pragma once

#include <span>

/// Functions of special.h for many numbers at once, several times as fast. The bits are those of
/// one call per number, on every machine and for any vector width.
namespace tacet::numeric {

/// Replaces each of sixteen numbers by its erfcx_slope, for a quadrature of sixteen points. Above 2
/// the function is a chain of divisions, each of which waits for the one before, so sixteen chains
/// run side by side.
void erfcx_slope_each(std::span<double, 16> numbers);

}  // namespace tacet::numeric
