#include "tacet/model/export/c_runtime.h"

namespace tacet::model::internal {
namespace {

constexpr const char* clamp_text = R"(
static double tacet_clamp(double value, double lower, double upper)
{
  return value < lower ? lower : upper < value ? upper : value;
}
)";

// numeric/elementary.h: the same bits on every machine, unlike the logarithm of the C library.
constexpr const char* logarithm_text = R"(
static double tacet_log(double x)
{
  static const double parts[10] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                   1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  int exponent = 0;
  int k;
  double m = frexp(x, &exponent);
  double s, s2, p = 1.0 / 23;
  if (m < 0.70710678118654752) {
    m *= 2;
    exponent -= 1;
  }
  s = (m - 1) / (m + 1);
  s2 = s * s;
  for (k = 0; k < 10; ++k) p = p * s2 + parts[k];
  return exponent * 0x1.62e42fee00000p-1 +
         (2 * s + (2 * s * s2 * p + exponent * 0x1.a39ef35793c76p-33));
}

static double tacet_log1p(double value)
{
  const double sum = 1 + value;
  return sum == 1 ? value : tacet_log(sum) * (value / (sum - 1));
}
)";

constexpr const char* share_text = R"(
/* The share of the way from the lower bound at which a place is. */
static double tacet_share(double place, double origin, double width)
{
  return tacet_clamp((place - origin) / width, 0.0, 1.0);
}
)";

constexpr const char* hat_text = R"(
/* The two hat functions around a share. */
static void tacet_hats(struct tacet_row *row, int first, int knots, double share)
{
  const double place = share * (knots - 1);
  int left = (int)place;
  double right_share;
  if (left > knots - 2) left = knots - 2;
  right_share = place - left;
  tacet_add(row, first + left, 0.5 * (1 - right_share));
  tacet_add(row, first + left + 1, 0.5 * right_share);
}
)";

constexpr const char* bin_text = R"(
/* How many edges are not above the value. */
static int tacet_bin(const double *edges, int count, double value)
{
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (value < edges[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}
)";

constexpr const char* period_text = R"(
/* Sine and cosine of so many full turns. */
static void tacet_turn(struct tacet_row *row, int first, double turns)
{
  static const double sines[7] = {1.0 / 6227020800.0, 1.0 / 39916800.0, 1.0 / 362880.0,
                                  1.0 / 5040.0,       1.0 / 120.0,      1.0 / 6.0, 1.0};
  static const double cosines[8] = {1.0 / 87178291200.0, 1.0 / 479001600.0, 1.0 / 3628800.0,
                                    1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 0.5, 1.0};
  const double part = remainder(turns, 1.0);
  const double quarter = nearbyint(4 * part);
  const double x = 6.283185307179586 * (part - quarter / 4);
  const double x2 = x * x;
  double s = 1.0 / 1307674368000.0;
  double c = 1.0 / 20922789888000.0;
  int k;
  for (k = 0; k < 7; ++k) s = sines[k] - s * x2;
  for (k = 0; k < 8; ++k) c = cosines[k] - c * x2;
  s *= x;
  if (quarter == 0) {
    tacet_add(row, first, s);
    tacet_add(row, first + 1, c);
  } else if (quarter == 1) {
    tacet_add(row, first, c);
    tacet_add(row, first + 1, -s);
  } else if (quarter == -1) {
    tacet_add(row, first, -c);
    tacet_add(row, first + 1, s);
  } else {
    tacet_add(row, first, -s);
    tacet_add(row, first + 1, -c);
  }
}
)";

constexpr const char* word_text = R"(
struct tacet_word {
  const char *text;
  int place;
};

static int tacet_compare(const char *one, const char *other)
{
  while (*one != '\0' && *one == *other) {
    ++one;
    ++other;
  }
  return (int)(unsigned char)*one - (int)(unsigned char)*other;
}

/* The place of a text in a sorted list; -1: none. */
static int tacet_find(const struct tacet_word *words, int count, const char *text)
{
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const int order = tacet_compare(words[middle].text, text);
    if (order == 0) return words[middle].place;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}
)";

// data/encode/decimal.h: 0.DIGITS times ten to the power of a point, exactly.
constexpr const char* number_text = R"(
static int tacet_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Writes a number that fills the text as [-]DIGITSePOINT, 0.DIGITS times ten to that power, so that
   1, 1.0 and +1e0 are alike; 0 for a text that is none, or has more digits than any of the list. */
static int tacet_spell(const char *text, char *out, int room)
{
  const char *digit;
  long point = 0, exponent = 0;
  int count = 0, any = 0, begun = 0, behind = 0, below = 0, zeros = 0, negative = 0;
  char reversed[24];
  while (*text == ' ' || *text == '\t') ++text;
  if (*text == '-') out[count++] = '-';
  negative = count;
  if (*text == '-' || *text == '+') ++text;
  for (digit = text; tacet_is_digit(*digit) || (*digit == '.' && !behind); ++digit) {
    if (*digit == '.') {
      behind = 1;
      continue;
    }
    any = 1;
    if (*digit != '0') begun = 1;
    if (!behind && begun && point < 100000000L) ++point;
    if (behind && !begun && point > -100000000L) point -= 1;
    if (!begun) continue;
    if (*digit == '0') {
      if (zeros < room) ++zeros;
      continue;
    }
    if (count + zeros + 1 >= room - 24) return 0;
    for (; zeros > 0; zeros -= 1) out[count++] = '0';
    out[count++] = *digit;
  }
  if (!any) return 0;
  if (*digit == 'e' || *digit == 'E') {
    ++digit;
    below = *digit == '-';
    if (*digit == '-' || *digit == '+') ++digit;
    if (!tacet_is_digit(*digit)) return 0;
    for (; tacet_is_digit(*digit); ++digit) {
      if (exponent < 100000000L) exponent = exponent * 10 + (*digit - '0');
    }
  }
  while (*digit == ' ' || *digit == '\t') ++digit;
  if (*digit != '\0') return 0;
  if (count == negative) {
    out[0] = '0';
    out[1] = '\0';
    return 1;
  }
  point += below ? -exponent : exponent;
  out[count++] = 'e';
  if (point < 0) {
    out[count++] = '-';
    point = -point;
  }
  zeros = 0;
  do {
    reversed[zeros++] = (char)('0' + point % 10);
    point /= 10;
  } while (point > 0);
  while (zeros > 0) out[count++] = reversed[zeros -= 1];
  out[count] = '\0';
  return 1;
}
)";

// data/encode/public_hash.h.
constexpr const char* hash_text = R"(
static int tacet_is_missing(const char *const *words, int count, const char *text)
{
  int k;
  if (text == NULL) return 1;
  for (k = 0; k < count; ++k) {
    const char *word = words[k], *other = text;
    while (*word != '\0' && *word == *other) {
      ++word;
      ++other;
    }
    if (*word == *other) return 1;
  }
  return 0;
}

/* FNV-1a. */
static uint64_t tacet_hash(uint64_t hash, const char *text)
{
  for (; *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

/* The leading bits behind the finaliser of SplitMix64. */
static int tacet_bucket(uint64_t hash, int bits)
{
  hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (int)((hash ^ (hash >> 31)) >> (64 - bits));
}
)";

constexpr const char* crossed_text = R"(
/* A text with its length before it. */
static uint64_t tacet_hash_sized(uint64_t hash, const char *text)
{
  char reversed[24], written[26];
  unsigned long long size = 0;
  int count = 0, k = 0;
  while (text[size] != '\0') ++size;
  do {
    reversed[count++] = (char)('0' + size % 10);
    size /= 10;
  } while (size > 0);
  while (count > 0) written[k++] = reversed[count -= 1];
  written[k++] = ':';
  written[k] = '\0';
  return tacet_hash(tacet_hash(hash, written), text);
}
)";

constexpr const char* row_text = R"(
struct tacet_row {
  int count;
  int columns[TACET_ENTRIES];
  double values[TACET_ENTRIES];
};

static void tacet_add(struct tacet_row *row, int column, double value)
{
  if (value == 0) return;
  row->columns[row->count] = column;
  row->values[row->count] = value;
  ++row->count;
}
)";

constexpr const char* scaling_text = R"(
static double tacet_factor(const struct tacet_row *row)
{
  double squared = TACET_CONSTANT_SQUARE;
  double own;
  int k;
  for (k = 0; k < row->count; ++k) squared += row->values[k] * row->values[k];
  if (!(squared > 1)) return TACET_LARGEST_FACTOR;
  own = 1 / sqrt(squared);
  return own < TACET_LARGEST_FACTOR ? own : TACET_LARGEST_FACTOR;
}

/* Features as whole numbers of 1/2048, toward zero; gives back the sum of their squares. */
static int64_t tacet_truncate(const struct tacet_row *row, double factor, int *integers)
{
  const double scale = factor * 2048;
  int64_t squared = 0;
  int k;
  for (k = 0; k < row->count; ++k) {
    integers[k] = (int)(row->values[k] * scale);
    squared += (int64_t)integers[k] * integers[k];
  }
  return squared;
}
)";

}  // namespace

std::string c_row_functions() { return scaling_text; }

std::string c_runtime(const CRuntimeParts& parts) {
  std::string out = row_text;
  const auto add = [&](bool wanted, const char* text) {
    if (wanted) out += text;
  };
  add(parts.clamped || parts.shares, clamp_text);
  add(parts.logarithms, logarithm_text);
  add(parts.shares, share_text);
  add(parts.hats, hat_text);
  add(parts.bins, bin_text);
  add(parts.periods, period_text);
  add(parts.words, word_text);
  add(parts.numbers, number_text);
  add(parts.hashes || parts.crossed, hash_text);
  add(parts.crossed, crossed_text);
  return out;
}

}  // namespace tacet::model::internal
