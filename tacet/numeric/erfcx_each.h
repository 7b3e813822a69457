#pragma once

#include <span>

/// Functions of special.h of many numbers at once: the same bits as one by one, on every machine
/// and for any vector width, several times as fast.
namespace tacet::numeric {

/// erfcx_slope of each of sixteen numbers in its place, as many as a quadrature asks for. Above 2
/// it is a chain of divisions, each of which waits for the one before: sixteen chains run side by
/// side.
void erfcx_slope_each(std::span<double, 16> numbers);

}  // namespace tacet::numeric
