#include "tacet/privacy/released.h"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>
#include <vector>

namespace tacet::privacy {
namespace released_test {

/// Whether a private double takes this function.
template <typename Function>
constexpr bool maps = requires(const Private<double>& value, Function function) {
  value.map(function);
};

/// As a lambda with a reference captured, but with the reference hidden in a constructor.
struct Remembering {
  explicit Remembering(double* place) { out = place; }
  double operator()(double value) const { return *out = value; }
  static inline double* out = nullptr;
};

TEST(Private, IsMappedByNothingThatCarriesAValueOut) {
  double out = 0;
  const auto by_reference = [&out](double value) { return out = value; };
  const auto by_pointer = [place = &out](double value) { return *place = value; };
  const auto by_value = [factor = 2.0](double value) { return factor * value; };
  static_assert(!maps<decltype(by_reference)>);
  static_assert(!maps<decltype(by_pointer)>);
  static_assert(!maps<decltype(by_value)>);
  static_assert(!maps<std::function<double(double)>>);
  static_assert(!maps<std::reference_wrapper<decltype(by_reference)>>);
  static_assert(!maps<double (*)(double)>);
  static_assert(!maps<Remembering>);
  static_assert(maps<decltype([](double value) { return value; })>);
  // What comes out of a map is private again, and no view of what is inside.
  const Private<std::vector<double>> values(std::vector<double>{1, 2});
  const auto same = values.map([](const auto& inside) -> const auto& { return inside; });
  static_assert(std::is_same_v<decltype(same), const Private<std::vector<double>>>);
}

}  // namespace released_test
}  // namespace tacet::privacy
