#pragma once

#include <cstdint>
#include <vector>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// An event that happens `count` times.
struct Occurrence {
  Event event;
  std::int64_t count;
};

/// Splits compositions and repetitions into occurrences of indivisible events, and joins equal
/// ones. False if a part would occur more than 2^63 times.
[[nodiscard]] bool flatten(const Event& event, std::int64_t times, std::vector<Occurrence>& out);

/// Splits objective perturbation into its exact minimum and the noise on that.
void split_minima(std::vector<Occurrence>& parts, Adjacency adjacency);

/// Whether flatten or split_minima take the event apart.
[[nodiscard]] bool is_several(const Event& event);

/// Replaces all full-batch Gaussian noise by one Gaussian, and leaves out events that cost nothing.
/// False if the noise is too small for a double.
[[nodiscard]] bool join_gaussians(std::vector<Occurrence>& parts, Adjacency adjacency);

/// Whether an event is free under some adjacency, and so under all.
[[nodiscard]] bool costs_nothing(const Event& event);

}  // namespace tacet::accounting::internal
