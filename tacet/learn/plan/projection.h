#pragma once

#include <optional>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

/// Projections as a stage before every method that takes them: the schema for reading contains the
/// projection, and the method sees fewer columns. Proofs for rows of the schema's norm hold,
/// because rows are cut to it after the projection (docs/proofs/projection.md).
namespace tacet::learn {

struct ProjectionChoice {
  data::Schema schema;
  std::string reason;  ///< empty: nothing was projected
  /// factor on the radius that was asked for
  double radius_factor = 1;
};

/// The projection that the options ask for; under `auto` none, if its width is not below the number
/// of features. UsageError if it makes no sense.
///
/// With the calibration arora2022 it is the paper's: Gaussian, its width, rows up to twice the
/// bound and weights in a ball of twice the radius. Rows are stored as halves, so the ball is four
/// times as large. They are still cut to the bound, so the event that the paper adds to delta
/// cannot occur and costs nothing.
[[nodiscard]] ProjectionChoice choose_projection(const data::Schema& schema,
                                                 const ParameterValues& asked);

/// The facts for choosing the width, which balances the noise of `width` coordinates against the
/// distortion of inner products.
struct WidthFacts {
  double rows;         ///< public
  double mu;           ///< of the whole budget
  double norm_bound;   ///< of rows
  double slope;        ///< of the loss, at most
  double curvature;    ///< of the loss; infinite if it has none
  double radius;       ///< of weights worth reaching
  bool slope_bounded;  ///< everywhere, so that the noise does not grow with the radius
};

/// For a loss with bounded slopes it is rows mu / sqrt 2, which balances sqrt 2 G B X / sqrt k
/// against 2 G B X sqrt k / (rows mu). For a smooth loss with slopes bounded on the ball it is (H B
/// X rows mu / (sqrt 2 G))^(2/3), since E<Phi w, Phi x> = <w, x> leaves only the second order
/// (docs/methods/projections.md).
[[nodiscard]] double balanced_width(const WidthFacts& facts);

}  // namespace tacet::learn
