#include "tacet/model/export/c_wide.h"

#include <algorithm>
#include <cstdint>

#include "tacet/base/error.h"
#include "tacet/model/export/c_tables.h"

namespace tacet::model::internal {
namespace {

/// One call then uses at most about half a megabyte of stack.
constexpr std::int64_t max_inputs = 1 << 16;

constexpr const char* net_text = R"(
/* Outputs of a layer: its weights input by input, its biases behind them. */
static void tacet_layer(const float *weights, int in, int out, const double *values, double *outputs)
{
  int k, i;
  for (i = 0; i < out; ++i) outputs[i] = (double)weights[(long)in * out + i];
  for (k = 0; k < in; ++k) {
    if (values[k] == 0) continue;
    for (i = 0; i < out; ++i) outputs[i] += values[k] * (double)weights[(long)k * out + i];
  }
}

/* The place of a feature that is taken as a number; -1: none. */
static int tacet_dense(int column)
{
  int k;
  for (k = 0; k < TACET_RUNS; ++k) {
    const int *const run = tacet_runs[k];
    if (column >= run[0] && column < run[0] + run[1]) return run[2] + column - run[0];
  }
  return -1;
}

static void tacet_net(const struct tacet_row *row, const int *integers, double *margins)
{
  static const int neurons[] = TACET_NEURONS;
  double values[TACET_WIDEST + 1], layer[TACET_WIDEST + 1], *dense = values + TACET_POOLED;
  double dense_values[TACET_DENSE + 1];
  const float *block = tacet_numbers + TACET_BLOCK;
  int ids[TACET_FIELDS + 1], f, k, i, in = TACET_INPUTS;
  for (f = 0; f < TACET_FIELDS; ++f) ids[f] = -1;
  for (k = 0; k < TACET_INPUTS; ++k) values[k] = 0;
  for (k = 0; k < TACET_DENSE; ++k) dense_values[k] = 0;
  for (k = 0; k < row->count; ++k) {
    const int column = row->columns[k];
    if (integers[k] == 0) continue;
    for (f = 0; f < TACET_FIELDS; ++f) {
      const long *const field = tacet_fields[f];
      if (column >= field[0] && column < field[0] + field[1]) break;
    }
    if (f < TACET_FIELDS) {
      ids[f] = column - (int)tacet_fields[f][0];
    } else if (tacet_dense(column) >= 0) {
      dense_values[tacet_dense(column)] = (1.0 / 2048) * integers[k];
    }
  }
  for (f = 0; f < TACET_FIELDS; ++f) {
    const long *const field = tacet_fields[f];
    if (ids[f] < 0) continue;
    for (i = 0; i < field[2]; ++i) {
      values[field[3] + i] += (double)tacet_numbers[field[4] + ids[f] * field[2] + i];
    }
  }
  if (!TACET_TOWERS) {
    for (k = 0; k < TACET_DENSE; ++k) dense[k] = dense_values[k];
  }
  if (TACET_BESIDE) block += (long)TACET_DENSE * TACET_OUTPUTS;
  if (TACET_TOWERS) {
    const int width = TACET_INPUTS / 2;
    double sum = (double)block[0];
    for (i = 0; i < width; ++i) sum += values[i] * values[width + i];
    margins[0] = sum;
  }
  for (k = 0; k < TACET_LAYERS; ++k) {
    const int out = neurons[k];
    tacet_layer(block, in, out, values, layer);
    block += (long)(in + 1) * out;
    for (i = 0; i < out; ++i) {
      if (k + 1 == TACET_LAYERS) margins[i] = layer[i];
      else values[i] = layer[i] > 0 ? layer[i] : 0;
    }
    in = out;
  }
  for (f = 0; f < TACET_FIELDS && TACET_LINEAR; ++f) {
    if (ids[f] < 0) continue;
    for (i = 0; i < TACET_OUTPUTS; ++i) {
      margins[i] += (double)tacet_numbers[tacet_fields[f][5] + (long)ids[f] * TACET_OUTPUTS + i];
    }
  }
  for (k = 0; k < TACET_DENSE && TACET_BESIDE; ++k) {
    const float *const own = tacet_numbers + TACET_BLOCK + (long)k * TACET_OUTPUTS;
    if (dense_values[k] == 0) continue;
    for (i = 0; i < TACET_OUTPUTS; ++i) margins[i] += dense_values[k] * (double)own[i];
  }
}
)";

void whole(std::string& out, std::string_view name, std::int64_t value) {
  put(out, "#define TACET_{} {}\n", name, value);
}

/// Neighbouring columns that are dense features: the first one, how many, the first one's place.
std::int64_t write_runs(std::string& out, const WideShape& shape) {
  std::int64_t count = 0;
  std::string rows;
  for (std::size_t k = 0; k < shape.dense.size();) {
    std::size_t end = k + 1;
    while (end < shape.dense.size() && shape.dense[end] == shape.dense[end - 1] + 1) ++end;
    put(rows, "  {{{}, {}, {}}},\n", shape.dense[k], end - k, k);
    ++count;
    k = end;
  }
  put(out, "static const int tacet_runs[][3] = {{\n{}}};\n", rows.empty() ? "  {0, 0, 0}\n" : rows);
  return count;
}

/// First column, ids, width, place among the inputs, where its vectors and its weights begin.
void write_fields(std::string& out, const WideNet& net) {
  const auto& shape = net.shape();
  const auto& layout = net.layout();
  const auto count = shape.fields.size();
  std::string rows;
  std::int64_t place = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const auto& field = shape.fields[f];
    if (shape.two_tower()) place = field.side == WideSide::left ? 0 : field.width;
    const bool linear = shape.linear == LinearPart::present;
    put(rows, "  {{{}, {}, {}, {}, {}, {}}},\n", field.first, field.rows, field.width, place,
        layout.first_cell(layout.row(f, 0)),
        linear ? layout.first_cell(layout.row(count + f, 0)) : 0);
    if (!shape.two_tower()) place += field.width;
  }
  put(out, "static const long tacet_fields[][6] = {{\n{}}};\n",
      rows.empty() ? "  {0, 0, 0, 0, 0, 0}\n" : rows);
}

}  // namespace

std::string c_wide(const WideNumbers& wide) {
  const auto& shape = wide.net().shape();
  const auto dense = std::ssize(shape.dense);
  const auto inputs = shape.input_width();
  expect_coefficients(std::ssize(wide.numbers()));
  if (std::max(inputs, dense) > max_inputs) {
    throw base::UsageError("a layer of {} inputs is too wide for C; at most {} are possible",
                           std::max(inputs, dense), max_inputs);
  }
  std::string out;
  std::int64_t widest = std::max(inputs, shape.outputs);
  std::string neurons;
  for (const auto layer : shape.hidden) {
    widest = std::max(widest, layer);
    put(neurons, "{}, ", layer);
  }
  whole(out, "FIELDS", std::ssize(shape.fields));
  whole(out, "INPUTS", inputs);
  whole(out, "POOLED", shape.two_tower() ? 0 : inputs - dense);
  whole(out, "DENSE", dense);
  whole(out, "BLOCK", std::ssize(wide.numbers()) - std::ssize(wide.block()));
  whole(out, "TOWERS", shape.two_tower() ? 1 : 0);
  whole(out, "LINEAR", shape.linear == LinearPart::present ? 1 : 0);
  whole(out, "BESIDE", shape.dense_weights() ? 1 : 0);
  whole(out, "LAYERS", shape.two_tower() ? 0 : std::ssize(shape.hidden) + 1);
  whole(out, "WIDEST", widest);
  put(out, "#define TACET_NEURONS {{{}{}}}\n", neurons, shape.outputs);
  whole(out, "RUNS", write_runs(out, shape));
  write_fields(out, wide.net());
  c_table<float>(out, "float", "numbers", wide.numbers());
  return out + net_text;
}

}  // namespace tacet::model::internal
