#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/learn/method.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// What a receipt says besides its events and its guarantee, held against them. A receipt whose
/// events cost what it states could still name another noise, another number of steps or another
/// unit than its events are about.
namespace tacet::learn {

struct ReceiptCheck {
  std::vector<std::string> faults;     ///< contradictions, in words
  std::vector<std::string> checked;    ///< parameters that the events or the model confirm
  std::vector<std::string> unchecked;  ///< what nothing in the file confirms, in words
};

/// A release that trains nothing, and how the parameters of its receipt lead to its events.
struct RecordedRelease {
  std::string_view name;
  RecordedEvents recorded_events;
};

/// What `method` released by the parameters of a receipt, behind the choice of columns where one
/// came before; `own` is what the receipt says of it. Errors as RecordedEvents.
[[nodiscard]] privacy::Event recorded_releases(const Method& method,
                                               const privacy::Receipt& receipt,
                                               RecordedParameters& parameters,
                                               const privacy::Event& own);

/// A run of `method` inside a choice: that it protects the receipt's unit, and knows its paper.
void check_recorded_run(const privacy::Receipt& run, const Method& method,
                        const RecordedParameters& parameters);

/// DataError where objective perturbation anywhere in the event counts on a flatter loss than the
/// file's model has.
void check_loss_bounds(const privacy::Event& event, const model::ModelFile& file);

/// Leads the parameters of a protected result to events again, as the method of that name does, and
/// compares: noise, steps, phases, sampling, calibration, the grid of the clipping norm. With the
/// whole `file` of a model (or nullptr) also its unit, columns and loss. What is neither among the
/// methods nor among the releases has everything unchecked.
[[nodiscard]] ReceiptCheck check_receipt(const privacy::Receipt& receipt,
                                         const model::ModelFile* file,
                                         std::span<const Method* const> known = methods(),
                                         std::span<const RecordedRelease> releases = {});

}  // namespace tacet::learn
