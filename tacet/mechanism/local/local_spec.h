#pragma once

#include <cstdint>

#include "tacet/base/names.h"

namespace tacet::mechanism {

/// How a device makes its gradient private.
enum class LocalMechanism : std::uint8_t {
  privunit,            ///< a direction from the optimal cap (Bhowmick et al. 2018)
  privunitg,           ///< a normal vector from one side of a plane (Asi, Feldman, Talwar 2022)
  djw,                 ///< a direction from a half-space (Duchi, Jordan, Wainwright 2013)
  l2_laplace,          ///< noise of density exp(-|z| / b), |.| the Euclidean norm
  coordinate_laplace,  ///< Laplace noise on each coordinate
  gaussian             ///< Gaussian noise: the one with a delta
};

/// How a gradient inside of the ball becomes a direction, as mechanisms on the sphere need.
enum class Embedding : std::uint8_t {
  automatic,  ///< lift, unless there are at most 3 coordinates and epsilon is below 2
  sign,       ///< its direction or the opposite one, at random such that the mean is right
  lift        ///< one further coordinate makes the norm equal to the bound
};

inline constexpr auto local_mechanism_names = base::names<LocalMechanism>({
    {LocalMechanism::privunit, "privunit"},
    {LocalMechanism::privunitg, "privunitg"},
    {LocalMechanism::djw, "djw"},
    {LocalMechanism::l2_laplace, "l2_laplace"},
    {LocalMechanism::coordinate_laplace, "coordinate_laplace"},
    {LocalMechanism::gaussian, "gaussian"},
});

inline constexpr auto embedding_names = base::names<Embedding>({
    {Embedding::automatic, "auto"},
    {Embedding::sign, "sign"},
    {Embedding::lift, "lift"},
});

/// The spec that server and devices share. All of it is public.
struct LocalSpec {
  LocalMechanism mechanism = LocalMechanism::privunit;
  double epsilon = 1;
  double delta = 0;            ///< for `gaussian`, above 0; 0 for all others
  std::int64_t dimension = 1;  ///< of the gradient
  double clipping_norm = 1;    ///< G, which no gradient exceeds
  Embedding embedding = Embedding::automatic;
};

/// Reports are directions; the other mechanisms add noise.
[[nodiscard]] constexpr bool reports_direction(LocalMechanism mechanism) {
  return mechanism == LocalMechanism::privunit || mechanism == LocalMechanism::privunitg ||
         mechanism == LocalMechanism::djw;
}

}  // namespace tacet::mechanism
