#pragma once

#include <span>

namespace tacet::numeric {

/// exp of each number in its place, the same bits as from exp (elementary.h) one by one; several
/// times as fast. Every number must lie in [-700, 700].
void exp_each(std::span<double> numbers);

}  // namespace tacet::numeric
