#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tacet/privacy/adjacency.h"

namespace tacet::learn {
class ParameterValues;
}
namespace tacet::model {
struct CustomFunctions;
}

/// What a training is asked for, by the names of `tacet train` (tacet train --help-all lists them).
/// Whatever is left out is chosen from public facts.
///
/// Example:
///
///     choose::Request request(privacy::Adjacency::add_remove);
///     request.set("epsilon", 1).set("delta", 1e-6).set("knots", "none");
namespace tacet::choose {

/// In place of an adjacency: the one that is usual for the method. For front ends that print which
/// one that is; a program says itself which neighbours it protects.
struct UsualForMethod {};
inline constexpr UsualForMethod usual_for_method{};

/// Settings that are chosen by training with several of them (docs/methods/tune.md).
struct Tuning {
  std::string grid;                             ///< TOML: the candidates
  std::string name = "grid";                    ///< of that text, for errors
  double trials = 10;                           ///< mean of the number of runs
  std::optional<std::int64_t> max_trials = {};  ///< a cap; left out: one that costs next to nothing
  std::string law = "logarithmic";              ///< or "geometric", "poisson"
  double holdout = 0.3;                         ///< share of the records that score
  std::string score = {};                       ///< "accuracy" or "loss"; empty: the usual one
};

/// What is asked of a training: parameters by the names of `tacet train`, as texts or numbers.
/// What is left out is chosen from public facts.
class Request {
 public:
  /// The library has no default adjacency.
  explicit Request(privacy::Adjacency adjacency);
  explicit Request(UsualForMethod /*adjacency*/) {}

  /// UsageError for an unknown name, or a value that is not of the parameter's type. The name
  /// total-epsilon stands for an epsilon of the training and of the fit of its schema together.
  Request& set(std::string_view name, std::string value);
  /// The same for a number, to its last digit.
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Request& set(std::string_view name, Number value) {
    if constexpr (std::is_integral_v<Number>) {
      return set(name, std::to_string(value));
    } else {
      return set(name, text_of(value));
    }
  }

  /// The loss of a prediction and a label.
  using LossFunction = std::function<double(double prediction, double label)>;
  /// A loss of the caller's own, for the method gradient: two functions of a prediction and a
  /// label. Several threads call them at once, and they may depend on nothing but these two numbers
  /// and public constants: gradients are clipped whatever they say. They must not throw nor end the
  /// process: that a training ended would tell something about a record. NaN and infinity are safe.
  /// Labels are -1 and 1 for two classes, and from -1 to 1 for numbers. The bounds choose steps and
  /// protect nobody; an infinite slope means unknown. UsageError for functions that are empty.
  Request& minimise(LossFunction value, LossFunction slope, double largest_slope = 1,
                    double largest_curvature = 1);

  /// Chooses settings by training; epsilon and delta are of everything together.
  Request& tune(Tuning tuning);

  /// What was set under this name.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  /// All of it but a total epsilon, which is among them as `epsilon`. UsageError for both.
  [[nodiscard]] learn::ParameterValues values() const;
  [[nodiscard]] bool total_epsilon() const { return value("total-epsilon").has_value(); }
  [[nodiscard]] const std::shared_ptr<const model::CustomFunctions>& loss() const { return loss_; }
  [[nodiscard]] const std::optional<Tuning>& tuning() const { return tuning_; }

 private:
  [[nodiscard]] static std::string text_of(double value);

  std::map<std::string, std::string, std::less<>> values_;
  std::shared_ptr<const model::CustomFunctions> loss_;
  std::optional<Tuning> tuning_;
};

}  // namespace tacet::choose
