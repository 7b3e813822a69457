#pragma once

#include "tacet/learn/plan/recorded.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

/// Compares a receipt with the rest of its model file: unit, columns, loss, class weights, and how
/// rows are read.
namespace tacet::learn {

/// DataError if the model or its schema contradicts the receipt. `events_compared`: the parameters
/// were converted back to the method's events, and these compared, before.
void check_model(const privacy::Receipt& receipt, const model::ModelFile& file,
                 RecordedParameters& parameters, bool events_compared);

/// DataError if objective perturbation anywhere in the event assumes a flatter loss than that of
/// the file's model.
void check_loss_bounds(const privacy::Event& event, const model::ModelFile& file);

}  // namespace tacet::learn
