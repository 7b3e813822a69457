#pragma once

#include <optional>
#include <string>

#include "tacet/model/model_file.h"
#include "tacet/run/terms.h"

/// The last lines of a training: what a person asks after it. They are computed from what was
/// released and from public facts alone.
namespace tacet::apps {

struct TrainingEnd {
  const model::ModelFile& file;
  const std::optional<run::AccountTerms>& terms;  ///< of the account that paid
  std::string model;                              ///< the file's name; empty: standard output
  std::string data;                               ///< the file of the records
  std::string data_set;                           ///< as --data-set was given
};

/// Whether anything is distinguishable from noise, what accuracy to expect or how to learn it, what
/// is left of the budget, and the next command.
[[nodiscard]] std::string closing_text(const TrainingEnd& end);

}  // namespace tacet::apps
