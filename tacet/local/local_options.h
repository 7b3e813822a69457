#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/local/certificate.h"
#include "tacet/local/learner_file.h"
#include "tacet/mechanism/local/local_spec.h"

namespace tacet::local {

/// What a user asks of learning from devices. Everything left out is chosen from public facts.
struct LocalOptions : learn::CommonOptions, learn::BallOptions, learn::ClassWeightOptions {
  LocalOptions() {
    method = "banco";
    adjacency = privacy::Adjacency::replace_one;
  }

  std::optional<std::int64_t> batch_size;              ///< devices a round
  std::optional<double> step_size;                     ///< of local-sgd
  std::optional<double> weight_scale;                  ///< size of weights worth reaching
  std::optional<double> clipping_norm;                 ///< of each gradient
  std::optional<mechanism::LocalMechanism> mechanism;  ///< privunit
  mechanism::Embedding embedding = mechanism::Embedding::automatic;
  std::optional<CertificateKind> certificate;  ///< bounded where reports are, else known noise
  std::optional<std::string> averaging;        ///< anytime, uniform; of local-sgd uniform
  std::optional<double> initial_wealth;        ///< W0
  double direction_step = 1;                   ///< eta0
  double weight_power = 0;
  std::int64_t passes = 1;  ///< reports of each device
  bool shuffled = false;    ///< the operator asserts a trusted, secret permutation of all reports
  double honest_fraction = 1;
  /// Gets the learner when it has read the last report.
  std::function<void(const Learner&)> keep;
};

/// Of these what training from records at hand reads as well, where it simulates devices.
inline constexpr std::array simulation_bindings{
    learn::bind<&LocalOptions::batch_size>("batch-size"),
    learn::bind<&LocalOptions::weight_scale>("weight-scale"),
    learn::bind<&LocalOptions::step_size>("step-size"),
    learn::bind<&LocalOptions::clipping_norm>("clipping-norm"),
};

/// The public parameters of `tacet local`, in the order of the help page.
[[nodiscard]] std::span<const learn::Parameter> local_parameters();

/// Reads and checks them. UsageError names the parameter, what was given and what is allowed.
[[nodiscard]] LocalOptions local_options(const learn::OptionValues& values);

}  // namespace tacet::local
