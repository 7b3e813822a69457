#pragma once

#include <optional>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

/// Projections as a stage before every method that takes them: the schema by which records are read
/// says how, and the method sees fewer columns. Whatever is proved for rows of the schema's norm
/// holds, because rows are cut to it behind the projection (docs/proofs/projection.md).
namespace tacet::learn {

struct ProjectionChoice {
  data::Schema schema;
  std::string reason;  ///< empty: nothing was projected
  /// What the radius that was asked for counts behind it.
  double radius_factor = 1;
};

/// The projection that the options ask for; under `auto` none where its width is no less than the
/// number of features. UsageError where it makes no sense.
///
/// With the calibration arora2022 it is the paper's: Gaussian, its width, rows up to twice the
/// bound and weights in a ball of twice the radius. Rows are stored as halves, so that the ball is
/// four times as large, and still cut to the bound: the event that the paper charges to delta is
/// stated and paid by nobody.
[[nodiscard]] ProjectionChoice choose_projection(const data::Schema& schema,
                                                 const ParameterValues& asked);

/// What the width balances: the noise of `width` coordinates and the distortion of inner products.
struct WidthFacts {
  double rows;         ///< public
  double mu;           ///< of the whole budget
  double norm_bound;   ///< of rows
  double slope;        ///< of the loss, at most
  double curvature;    ///< of the loss; infinite where there is none
  double radius;       ///< of weights worth reaching
  bool slope_bounded;  ///< on the whole line, so that the noise does not grow with the radius
};

/// For a loss with bounded slopes rows mu / sqrt 2: sqrt 2 G B X / sqrt k against 2 G B X sqrt k /
/// (rows mu). For a smooth one with slopes bounded on the ball (H B X rows mu / (sqrt 2 G))^(2/3),
/// since E<Phi w, Phi x> = <w, x> leaves the second order alone (docs/methods/projections.md).
[[nodiscard]] double balanced_width(const WidthFacts& facts);

}  // namespace tacet::learn
