#pragma once

#include <span>

/// Functions of elementary.h for many numbers at once, several times as fast. The bits are those of
/// one call per number, on every machine and for any vector width.
namespace tacet::numeric {

/// Replaces each number by its exp.
void exp_each(std::span<double> numbers);

/// Replaces each number by its sigmoid.
void sigmoid_each(std::span<double> numbers);

}  // namespace tacet::numeric
