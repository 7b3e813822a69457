#pragma once

#include <cstddef>

/// A few rows of a matrix of doubles times several columns of another one, with the same bits on
/// every machine: each entry is the sum of its products in their order, from 0 on, and no
/// multiplication is fused with an addition. Only different entries are done at once.
namespace tacet::numeric {

constexpr std::size_t panel_rows = 4;
constexpr std::size_t panel_columns = 16;

/// out[i * panel_columns + c] = sum over j < inner of left[i * stride + j] and
/// panel[j * panel_columns + c], for `rows` rows, at most panel_rows, and all columns of the panel.
void multiply_panel(const double* left, std::size_t stride, std::size_t rows, const double* panel,
                    std::size_t inner, double* out);

}  // namespace tacet::numeric
