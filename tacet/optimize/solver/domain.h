#pragma once

#include <span>
#include <variant>
#include <vector>

/// Closed convex sets that weights may be kept in, each with its Euclidean projection.
namespace tacet::optimize {

/// No constraint.
struct WholeSpace {};

/// All points within `radius` of `centre`; an empty centre is the origin.
struct Ball {
  double radius = 1;
  std::vector<double> centre{};
};

/// The intersection of two balls.
struct Lens {
  Ball first;
  Ball second;
};

/// lower[j] <= w[j] <= upper[j]; infinite bounds are allowed.
struct Box {
  std::vector<double> lower;
  std::vector<double> upper;
};

/// Non-negative weights that add up to `total`.
struct Simplex {
  double total = 1;
};

using Domain = std::variant<WholeSpace, Ball, Lens, Box, Simplex>;

/// The domain after a check against `columns`: positive radii, matching sizes, ordered bounds,
/// balls of a lens that meet. A violation is a UsageError.
[[nodiscard]] Domain checked(Domain domain, std::size_t columns);

/// Replaces `point` by the nearest point of the domain; one inside a ball, lens or box stays as it
/// is to the last bit. All of these are exact up to rounding: a ball and a box coordinate by
/// coordinate or by scaling; a simplex by its threshold (Held, Wolfe, Crowder 1974); a lens by its
/// three cases: one ball's projection that lies in the other, or the nearest point of the sphere
/// where both surfaces meet.
void project(const Domain& domain, std::span<double> point);

/// The radius of a ball around the origin that holds the domain; infinity for an unbounded one.
[[nodiscard]] double reach(const Domain& domain);

}  // namespace tacet::optimize
