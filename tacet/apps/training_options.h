#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/plan/training.h"

namespace tacet::apps {

/// What `train` and `plan` have in common: the schema, and one option for each entry of
/// learn::parameters(). An adjacency that is not given is the one usual for the method.
class TrainingOptions {
 public:
  void declare(Options& options);

  /// Checked values; UsageError names the option.
  [[nodiscard]] learn::ParameterValues values() const;
  [[nodiscard]] learn::LinearOptions linear_options() const;
  /// The schema from its file. UsageError when none was given.
  [[nodiscard]] data::Schema schema() const;
  [[nodiscard]] const std::string& schema_file() const { return schema_; }

 private:
  std::string schema_;
  std::map<std::string, std::string> given_;
};

/// What was settled before reading data, for a person: the reasons, then all settings.
[[nodiscard]] std::string plan_text(const learn::Training& plan);
[[nodiscard]] nlohmann::ordered_json plan_json(const learn::Training& plan);

}  // namespace tacet::apps
