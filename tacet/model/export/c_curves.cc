#include "tacet/model/export/c_curves.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/model/export/c_tables.h"

namespace tacet::model::internal {
namespace {

constexpr const char* functions_text = R"(
static int tacet_nearest(double value)
{
  return (int)floor(value + 0.5);
}

/* Waves and hat functions of a point, even ones, then odd ones, as whole numbers. */
static void tacet_functions(const double *numbers, const int *levels, int count, int16_t *out)
{
  uint32_t phases[TACET_WAVES];
  int16_t *const odd = out + TACET_HALF;
  int k, w;
  for (w = 0; w < TACET_WAVES; ++w) phases[w] = 0;
  for (k = 0; k < TACET_NUMBERS; ++k) {
    const int16_t *const turns = tacet_turns + k * TACET_WAVES;
    const int number = tacet_nearest(numbers[k] * 8192);
    for (w = 0; w < TACET_WAVES; ++w) phases[w] += (uint32_t)(number * turns[w]);
  }
  for (k = 0; k < count; ++k) {
    const uint32_t *const angles = tacet_angles + (size_t)levels[k] * TACET_WAVES;
    for (w = 0; w < TACET_WAVES; ++w) phases[w] += angles[w];
  }
  for (w = 0; w < TACET_WAVES; ++w) {
    const uint32_t place = ((phases[w] + 8192) >> 14) & 8191;
    out[w] = tacet_sines[place + 2048];
    odd[w] = tacet_sines[place];
  }
  for (w = TACET_WAVES; w < TACET_HALF; ++w) out[w] = odd[w] = 0;
  for (k = 0; k < TACET_NUMBERS; ++k) {
    const double place = (tacet_clamp(numbers[k], -2.5, 2.5) + 2.5) / TACET_GAP;
    const int left = place < 14 ? (int)place : 14;
    const double right_share = place - left;
    for (w = 0; w < 2; ++w) {
      const int knot = left + w;
      const int at = TACET_WAVES + 8 * k + (knot < 8 ? knot : 15 - knot);
      const int value = tacet_nearest(TACET_HAT * (w == 0 ? 1 - right_share : right_share));
      out[at] = (int16_t)(out[at] + value);
      odd[at] = (int16_t)(odd[at] + (knot < 8 ? value : -value));
    }
  }
}

/* A sum of products, exactly: it stays within 32 bits. */
static int32_t tacet_product(const int16_t *one, const int16_t *other)
{
  int32_t sum = 0;
  int k;
  for (k = 0; k < TACET_FUNCTIONS; ++k) sum += one[k] * other[k];
  return sum;
}

static float tacet_curve(int direction, const int16_t *values, const double *numbers,
                         const int *levels, int count)
{
  const float *const line = tacet_lines + (size_t)direction * TACET_LINE;
  const int16_t *const own = direction < TACET_EVEN ? values : values + TACET_LATER;
  float curve = TACET_UNIT *
                (float)tacet_product(tacet_weights + (size_t)direction * TACET_FUNCTIONS, own);
  int k;
  curve -= line[0];
  for (k = 0; k < TACET_NUMBERS; ++k) curve -= (float)numbers[k] * line[1 + k];
  for (k = 0; k < count; ++k) curve -= line[1 + TACET_NUMBERS + levels[k]];
  return curve;
}

/* Whitened numbers, categories and curves out of the columns' features. */
static void tacet_curves(const struct tacet_row *plain, struct tacet_row *row)
{
  double numbers[TACET_NUMBERS] = {0};
  int16_t values[2 * TACET_HALF];
  int levels[TACET_ENTRIES];
  int count = 0, next = 0, k, j;
  for (k = 0; k < plain->count; ++k) {
    const int role = tacet_roles[plain->columns[k]];
    const int place = tacet_places[plain->columns[k]];
    if (role == 0) numbers[place] = tacet_clamp(plain->values[k] / TACET_DEVIATION, -3.0, 3.0);
    if (role == 1) levels[count++] = place;
    if (role == 2) levels[count++] = place + (plain->values[k] > 0 ? 1 : 0);
  }
  for (k = 0; k < TACET_PLAIN; ++k) {
    if (tacet_roles[k] == 0) {
      double sum = 0;
      for (j = 0; j < TACET_NUMBERS; ++j) {
        sum += tacet_whitening[tacet_places[k] * TACET_NUMBERS + j] * numbers[j];
      }
      tacet_add(row, k, sum);
    }
    if (next == plain->count || plain->columns[next] != k) continue;
    if (tacet_roles[k] != 0) {
      tacet_add(row, k,
                plain->values[next] * TACET_CATEGORY * (tacet_roles[k] == 2 ? TACET_SIGN : 1.0));
    }
    ++next;
  }
  tacet_functions(numbers, levels, count, values);
  for (k = 0; k < TACET_DIRECTIONS; ++k) {
    tacet_add(row, TACET_PLAIN + k,
              TACET_SCALE * (double)tacet_curve(k, values, numbers, levels, count));
  }
}
)";

void number(std::string& out, std::string_view name, double value) {
  put(out, "#define TACET_{} {}\n", name, double_text(value));
}

void count(std::string& out, std::string_view name, std::int64_t value) {
  put(out, "#define TACET_{} {}\n", name, value);
}

}  // namespace

std::string c_curves(const data::Schema& schema) {
  using Kind = data::CurveRows::Role::Kind;
  const auto& curves = *schema.curves;
  const auto shape = data::curve_shape(schema);
  const data::CurveRows rows(schema);
  const auto& functions = rows.curve_map().functions();
  const bool halves = shape.levels.empty();  // each direction uses either even or odd functions
  std::vector<std::int32_t> kinds;
  std::vector<std::int32_t> places;
  for (const auto& role : rows.roles()) {
    kinds.push_back(role.kind == Kind::number  ? 0
                    : role.kind == Kind::level ? 1
                    : role.kind == Kind::sign  ? 2
                                               : 3);
    places.push_back(static_cast<std::int32_t>(role.index));
  }
  std::string out;
  count(out, "NUMBERS", shape.numbers);
  count(out, "PLAIN", std::ssize(kinds));
  count(out, "WAVES", curves.frequencies);
  count(out, "HALF", static_cast<std::int64_t>(functions.half()));
  count(out, "FUNCTIONS", shape.function_weights(curves));
  count(out, "DIRECTIONS", curves.directions);
  count(out, "EVEN", halves ? curves.even : curves.directions);
  count(out, "LATER", static_cast<std::int64_t>(halves ? functions.half() : 0));
  count(out, "LINE", shape.line_weights());
  number(out, "GAP", data::CurveFunctions::gap);
  number(out, "HAT", functions.hat_units());
  number(out, "DEVIATION", data::NumericMap::standard_deviation);
  number(out, "CATEGORY", rows.category_scale());
  number(out, "SIGN", std::sqrt(0.5));
  number(out, "SCALE", rows.curve_scale());
  put(out, "#define TACET_UNIT {}f\n", double_text(static_cast<double>(rows.curve_map().unit())));
  c_table<std::int32_t>(out, "int", "roles", kinds);
  c_table<std::int32_t>(out, "int", "places", places);
  c_table<double>(out, "double", "whitening", rows.whitening());
  c_table<std::int16_t>(out, "int16_t", "turns", functions.turns());
  c_table<std::uint32_t>(out, "uint32_t", "angles", functions.angles());
  c_table<std::int16_t>(out, "int16_t", "sines", data::CurveFunctions::sines());
  c_table<std::int16_t>(out, "int16_t", "weights", curves.weights);
  c_table<float>(out, "float", "lines", curves.lines);
  return out + functions_text;
}

}  // namespace tacet::model::internal
