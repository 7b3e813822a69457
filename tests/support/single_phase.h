#pragma once

#include <cmath>

#include "tacet/learn/localization/localization_schedule.h"

namespace tacet::learn {

/// One phase over all records: output perturbation.
inline LocalPhase single_phase_schedule(const LocalFacts& facts) {
  const auto n = static_cast<double>(facts.rows);
  const auto d = static_cast<double>(facts.columns);
  const double level = facts.gradient_diameter * facts.noise_unit() / n;
  const double l2 = std::sqrt(2 * facts.lipschitz * level) / facts.diameter;
  const double sensitivity = facts.gradient_diameter / (n * l2);
  return {.first = 0,
          .last = facts.rows,
          .mean_l2 = l2,
          .sensitivity = sensitivity,
          .noise = sensitivity * facts.noise_unit() / (facts.pure() ? d : std::sqrt(d))};
}

}  // namespace tacet::learn
