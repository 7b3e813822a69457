#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacet/learn/known_releases.h"
#include "tacet/learn/method.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// What a receipt says besides its events and its guarantee, held against them. A receipt whose
/// events cost what it states could still name another noise, another number of steps or another
/// unit than its events are about.
namespace tacet::learn {

struct ReceiptCheck {
  bool known = true;                   ///< whether this version knows the algorithm at all
  std::string too_long;                ///< why the run is not computed again; else empty
  std::vector<std::string> faults;     ///< contradictions, in words
  std::vector<std::string> checked;    ///< parameters that the events or the model confirm
  std::vector<std::string> unchecked;  ///< what nothing in the file confirms, in words
};

/// What `method` released by the parameters of a receipt, behind the choice of columns where one
/// came before; `own` is what the receipt says of it. Errors as RecordedEvents.
[[nodiscard]] privacy::Event recorded_releases(const Method& method,
                                               const privacy::Receipt& receipt,
                                               RecordedParameters& parameters,
                                               const privacy::Event& own);

/// Checks the receipt of a run inside a choice: `method` must have a proof for the receipt's
/// adjacency and unit, and know the paper by which it was calibrated.
void check_recorded_run(const privacy::Receipt& run, const Method& method);

/// The random draw's part of the PRG slack where `method` draws one record of each of the receipt's
/// units (docs/proofs/unit_draw.md); else 0.
[[nodiscard]] double draw_slack(const privacy::Receipt& receipt, const Proved& proved);

/// Holds what a receipt of a protected result states against what its algorithm is proved for, and
/// leads its parameters to events again, for the stated adjacency and unit and as the algorithm of
/// that name does: noise, steps, phases, sampling, calibration, the grid of the clipping norm. With
/// the whole `file` of a model (or nullptr) also its unit, columns and loss. Of an algorithm that
/// is neither a method nor a release here nothing can be said: see `known`.
[[nodiscard]] ReceiptCheck check_receipt(
    const privacy::Receipt& receipt, const model::ModelFile* file,
    std::span<const Method* const> known = methods(),
    std::span<const RecordedAlgorithm> releases = known_releases());

}  // namespace tacet::learn
