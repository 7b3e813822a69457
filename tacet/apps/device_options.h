#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/local/local_options.h"
#include "tacet/local/local_plan.h"
#include "tacet/local/local_shuffle.h"

namespace tacet::apps {

/// What `local simulate` and `local plan` have in common: the schema, one option for each entry of
/// local::local_parameters(), and what the operator asserts of a shuffler.
class DeviceOptions {
 public:
  void declare(Options& options);

  [[nodiscard]] local::LocalOptions options() const;
  /// The values as they were typed, by the names of the parameters.
  [[nodiscard]] const learn::OptionValues& values() const { return given_; }
  /// UsageError when no schema was given.
  [[nodiscard]] data::Schema schema() const;
  [[nodiscard]] const std::string& schema_file() const { return schema_; }
  /// The number of threads, as training reads it.
  [[nodiscard]] learn::ParameterValues thread_values() const;

 private:
  std::string schema_;
  learn::OptionValues given_;
  bool shuffled_ = false;
  std::string honest_fraction_;
};

/// The options --shuffled and --honest-fraction.
void declare_shuffling(Options& options, bool& shuffled, std::string& honest_fraction);
/// UsageError where one is given without the other, or out of range.
[[nodiscard]] double honest_fraction(bool shuffled, const std::string& text);

/// What is promised to a device, for programs and for people. Central figures stand there only
/// where the operator asserts a shuffler.
struct DevicePromise {
  std::string mechanism;
  double epsilon = 0;  ///< of one report; the largest where devices differ
  double delta = 0;    ///< of one report
  std::int64_t contributions = 1;
  double total_epsilon = 0;
  double total_delta = 0;
  std::optional<double> min_epsilon = {};  ///< of one report, where devices differ
  std::optional<local::ShuffledReports> shuffled = {};
  bool clones22 = false;                ///< the headline is the 2022 theorem's
  bool fitted_schema = false;           ///< somebody held the records to fit the schema
  std::string unprotected_reason = {};  ///< why nothing at all is promised; else empty
  nlohmann::ordered_json learner = {};  ///< clip, calibration, range and certificate, where known
};
[[nodiscard]] DevicePromise promise_of(const local::LocalPlan& plan,
                                       const local::LocalOptions& options,
                                       const data::Schema& schema);
[[nodiscard]] nlohmann::ordered_json promise_json(const DevicePromise& promise);
[[nodiscard]] std::string promise_text(const DevicePromise& promise);

}  // namespace tacet::apps
