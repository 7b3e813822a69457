#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::data {

/// Random linear maps from very many columns to few, each with E<Phi w, Phi x> = <w, x>.
enum class ProjectionFamily {
  /// A column goes to one place with a sign (Charikar, Chen, Farach-Colton 2002), or to one in each
  /// of several blocks (Kane, Nelson 2014): entries 0 and +-1 / sqrt(blocks).
  countsketch,
  /// Rows of an orthonormal Hadamard matrix, without replacement, after random signs (Ailon,
  /// Chazelle 2009).
  srht,
  gaussian  ///< independent entries of variance 1 / width
};

/// A public map of all encoded columns but the intercept, which stays as it is. It is drawn from
/// its seed alone, never from the records.
struct Projection {
  ProjectionFamily family = ProjectionFamily::countsketch;
  std::int64_t width = 0;   ///< places behind it, min_width to max_width
  std::int64_t seed = 0;    ///< 0 to 2^63 - 1
  std::int64_t blocks = 1;  ///< of countsketch: 1 or 4, a divisor of the width
  /// What images and the intercept are divided by: rows up to so many times the bound are not cut.
  /// 1, or 2 as arora2022 has it.
  std::int64_t room = 1;

  static constexpr std::int64_t min_width = 8;
  static constexpr std::int64_t max_width = 65536;
  /// A row is transformed in a buffer of so many numbers.
  static constexpr std::int64_t max_srht_columns = std::int64_t{1} << 26;

  bool operator==(const Projection&) const = default;
};

/// "countsketch", "countsketch4" (four blocks), "srht" or "gaussian".
[[nodiscard]] std::string projection_name(const Projection& projection);
/// Family and blocks of such a name; a UsageError for any other.
[[nodiscard]] Projection projection_of(std::string_view name);
/// A UsageError that says what is wrong with it for so many columns, the intercept left out.
void check_projection(const Projection& projection, std::int64_t columns);

}  // namespace tacet::data
