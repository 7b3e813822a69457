#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::data {

/// Random linear maps from very many columns to few, with E<Phi w, Phi x> = <w, x>.
enum class ProjectionFamily {
  /// Each column goes, with a random sign, to one place (Charikar, Chen, Farach-Colton 2002), or to
  /// one in each of several blocks (Kane, Nelson 2014): entries 0 and +-1 / sqrt(blocks).
  countsketch,
  /// Random signs, and then rows of an orthonormal Hadamard matrix, drawn without replacement
  /// (Ailon, Chazelle 2009).
  srht,
  gaussian  ///< independent entries of variance 1 / width
};

/// A public map of all encoded columns but the intercept, which is not mapped. It depends on its
/// seed alone, never on records.
struct Projection {
  ProjectionFamily family = ProjectionFamily::countsketch;
  std::int64_t width = 0;   ///< number of columns after it, min_width to max_width
  std::int64_t seed = 0;    ///< 0 to 2^63 - 1
  std::int64_t blocks = 1;  ///< for countsketch: 1 or 4, a divisor of the width
  /// The divisor of projected columns and the intercept: rows up to that many times as long as the
  /// bound are not shortened. 1, or 2 in the paper arora2022.
  std::int64_t room = 1;

  static constexpr std::int64_t min_width = 8;
  static constexpr std::int64_t max_width = 65536;
  /// The largest size of the buffer in which a row is transformed.
  static constexpr std::int64_t max_srht_columns = std::int64_t{1} << 26;

  bool operator==(const Projection&) const = default;
};

/// "countsketch", "countsketch4" (with four blocks), "srht" or "gaussian".
[[nodiscard]] std::string projection_name(const Projection& projection);
/// Family and blocks of such a name; UsageError for any other.
[[nodiscard]] Projection projection_of(std::string_view name);
/// UsageError if the projection is not valid for this number of columns, without the intercept.
void check_projection(const Projection& projection, std::int64_t columns);

}  // namespace tacet::data
