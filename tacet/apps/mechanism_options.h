#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/privacy/event.h"

namespace tacet::apps {

/// The one number of a ReleasePlan that may be left open, to be found for an epsilon.
enum class Unknown { none, noise, steps, sampling_rate };

/// A mechanism, repeated, perhaps on samples.
struct ReleasePlan {
  std::string mechanism;                ///< the kind's name in the event language
  std::string noise_name;               ///< as results call it; empty: no noise of its own
  double noise = 0;                     ///< multiplier, or standard deviation in units of the grid
  nlohmann::ordered_json settings;      ///< what else describes one release
  std::optional<double> sampling_rate;  ///< Poisson samples
  std::optional<std::int64_t> sample_size;  ///< samples of fixed size out of `population`
  std::int64_t population = 0;
  std::int64_t steps = 1;
  std::function<privacy::Event(double)> one;  ///< one release, unsampled, at a noise

  [[nodiscard]] privacy::Event event() const;
  /// All public numbers, in the order in which they are printed.
  [[nodiscard]] nlohmann::ordered_json description() const;
};

/// Options that describe a mechanism. Each mechanism has its own; one that does not belong to it is
/// a UsageError, never ignored.
class MechanismOptions {
 public:
  void declare(Options& options);
  /// The first option given, as typed; empty: none.
  [[nodiscard]] std::string first_given() const;
  /// The plan; the number that `unknown` names must not be given and is left at its default.
  /// `adjacency` is that under which a mechanism such as pure_dp is said to be proved.
  [[nodiscard]] ReleasePlan plan(Unknown unknown, privacy::Adjacency adjacency) const;

 private:
  struct Value {
    std::string option;
    std::string text;
  };

  std::vector<Value> values_;
};

}  // namespace tacet::apps
