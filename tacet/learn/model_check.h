#pragma once

#include "tacet/learn/plan/recorded.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// A receipt against the rest of its model file: unit, columns, loss, weights of classes, and what
/// the rows are read by.
namespace tacet::learn {

/// DataError where the model or its schema contradicts the receipt. `events_compared`: whether the
/// method's own events were led back from the parameters before.
void check_model(const privacy::Receipt& receipt, const model::ModelFile& file,
                 RecordedParameters& parameters, bool events_compared);

/// DataError where objective perturbation anywhere in the event counts on a flatter loss than the
/// file's model has.
void check_loss_bounds(const privacy::Event& event, const model::ModelFile& file);

}  // namespace tacet::learn
