#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacet/learn/known_releases.h"
#include "tacet/learn/method.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// Checks the other statements of a receipt against its events and its guarantee. A receipt with
/// the right cost could still name another noise, another number of steps or another unit than its
/// events have.
namespace tacet::learn {

struct ReceiptCheck {
  bool known = true;                   ///< false: this version does not know the algorithm
  std::string too_long;                ///< why the run was not computed again; else empty
  std::vector<std::string> faults;     ///< contradictions, in words
  std::vector<std::string> checked;    ///< parameters that the events or the model confirm
  std::vector<std::string> unchecked;  ///< statements that nothing in the file confirms, in words
};

/// The releases of `method` by the parameters of a receipt, without a feature selection before
/// them; `own` is the receipt's event for them. Errors as RecordedEvents.
[[nodiscard]] privacy::Event recorded_releases(const Method& method,
                                               const privacy::Receipt& receipt,
                                               RecordedParameters& parameters,
                                               const privacy::Event& own);

/// Checks the receipt of a run inside a choice: `method` must have a proof for the receipt's
/// adjacency and unit, and know the paper by which it was calibrated.
void check_recorded_run(const privacy::Receipt& run, const Method& method);

/// The random draw's part of the PRG slack, if `method` draws one record of each of the receipt's
/// units (docs/proofs/unit_draw.md); else 0.
[[nodiscard]] double draw_slack(const privacy::Receipt& receipt, const Proved& proved);

/// Compares the statements of a protected result's receipt with the proofs of its algorithm, and
/// computes the events again from its parameters, for the stated adjacency and unit: noise, steps,
/// phases, sampling, calibration, the grid of the clipping norm. With the whole `file` of a model
/// (or nullptr) also its unit, columns and loss. If the algorithm is neither a method nor a release
/// of this version, nothing can be checked: see `known`.
[[nodiscard]] ReceiptCheck check_receipt(
    const privacy::Receipt& receipt, const model::ModelFile* file,
    std::span<const Method* const> known = methods(),
    std::span<const RecordedAlgorithm> releases = known_releases());

}  // namespace tacet::learn
