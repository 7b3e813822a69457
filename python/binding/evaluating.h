#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "python/binding/context.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/learn/evaluation.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/parts/remote_parts.h"

namespace tacet::python {

/// What `tacet evaluate` is told.
struct Evaluating {
  double epsilon = 0;
  std::optional<double> delta;
  std::string adjacency = "add_remove";
  std::optional<std::int64_t> public_row_count;
  std::optional<double> loss_cap;
  std::optional<double> threshold;  ///< a probability
  std::string by;

  [[nodiscard]] learn::EvaluationPlan plan(const model::ModelFile& file,
                                           const data::CategoryGroups* groups) const;

 private:
  [[nodiscard]] double chosen_delta() const;
};

/// Of records in parts, as `tacet evaluate --epsilon --json` prints it.
[[nodiscard]] std::string evaluated(const model::ModelFile& file, optimize::RemoteParts& parts,
                                    const Evaluating& asked, const Context& context,
                                    const nanobind::object& callback);

}  // namespace tacet::python
