#pragma once

#include <cstdint>
#include <optional>

#include "tacet/mechanism/local/local_spec.h"

/// What reports of devices promise against those who see them only after a trusted party has
/// assigned the devices to slots by a secret, uniformly random permutation and has stripped names
/// and times (Feldman, McMillan, Talwar 2021, 2022). Nothing of it holds because devices report in
/// some order: the operator asserts it.
namespace tacet::local {

/// GuaranteeError where nothing is proved: for `gaussian`, which is not pure, and for several
/// reports of a device.
void refuse_shuffling(mechanism::LocalMechanism mechanism, std::int64_t contributions);

struct ShuffledReports {
  std::int64_t reports;        ///< collected, one of each device
  double local_epsilon;        ///< the same for all of them: another device's report is a clone of
                               ///< one's own only if it could be the same message
  double honest_fraction = 1;  ///< share of the devices that follow the protocol
  double delta = 0;            ///< above 0, below 1
};

/// Epsilons of the central guarantee under replace_one, at `delta`.
struct CentralGuarantee {
  std::int64_t honest_reports;  ///< rounded down
  double clones21;              ///< by clones, proved (2021); the headline
  double clones22;  ///< with the larger probability of a clone that the 2022 theorem cites
  std::optional<double> closed21;  ///< closed forms of both, looser, where they apply
  std::optional<double> closed22;
};

/// UsageError for numbers out of range, and where no honest report is left.
[[nodiscard]] CentralGuarantee central_guarantee(const ShuffledReports& shuffled);

}  // namespace tacet::local
