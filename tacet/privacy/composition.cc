#include "tacet/privacy/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/gaussian.h"
#include "tacet/privacy/rdp.h"
#include "tacet/privacy/structure.h"

namespace tacet::privacy {

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  if (const auto reason = internal::refusal(event, adjacency); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  if (const auto square = internal::squared_mu(event, adjacency)) {
    const double mu = internal::round_up(std::sqrt(*square));
    return {gaussian::epsilon(mu, delta), delta.value(), adjacency};
  }
  double epsilon = internal::pure_epsilon(event, adjacency);
  const auto curve = rdp::curve(event, adjacency);
  if (curve) {
    epsilon = std::min(epsilon, rdp::best_epsilon(*curve, delta).epsilon);
  } else if (std::isinf(epsilon) && delta.value() > 0) {
    throw base::GuaranteeError(fmt::format("no bound is proved here for the event '{}' under {}",
                                           kind_name(event), to_string(adjacency)));
  }
  return {epsilon, delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

}  // namespace tacet::privacy
