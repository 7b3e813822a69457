#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tacet/audit/mechanism_subjects.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::audit {
namespace {

using mechanism::LocalMechanism;
using mechanism::LocalRandomizer;

/// The records of two devices, whose gradients at 0 are opposite and as long as they may be.
struct Devices {
  model::Loss loss = model::HingeLoss{};
  data::Dataset records;
};

std::shared_ptr<const Devices> opposite_devices(std::int64_t dimension) {
  auto devices = std::make_shared<Devices>(
      Devices{.records = data::Dataset({.columns = dimension, .norm_bound = 1})});
  std::vector<std::int16_t> row(static_cast<std::size_t>(dimension), 0);
  row.front() = static_cast<std::int16_t>(data::Dataset::feature_scale);
  devices->records.append_dense(row, 1);
  devices->records.append_dense(row, -1);
  return devices;
}

/// A number that rises with the likelihood ratio of both devices.
double score_of(const mechanism::Report& report, const LocalRandomizer& randomizer) {
  if (mechanism::reports_direction(randomizer.spec().mechanism)) {
    double square = 0;
    for (const auto coordinate : report.coordinates) square += std::pow(coordinate, 2);
    return report.coordinates.front() / std::sqrt(square);
  }
  double estimate[1];
  mechanism::decode(report, randomizer, estimate);
  if (!randomizer.pure()) return estimate[0];
  // With Laplace noise, the outcomes beyond both gradients tell most. Those between the two say
  // less.
  return (estimate[0] >= 1 ? 1.0 : 0.0) - (estimate[0] <= -1 ? 1.0 : 0.0);
}

}  // namespace

Subject report_subject(std::string_view name, const privacy::Guarantee& claim) {
  const auto mechanism =
      mechanism::local_mechanism_names.find(name.substr(name.find('/') + 1)).value();
  const std::int64_t dimension = mechanism::reports_direction(mechanism) ? 4 : 1;
  const auto randomizer = LocalRandomizer::calibrate({.mechanism = mechanism,
                                                      .epsilon = claim.epsilon,
                                                      .delta = claim.delta,
                                                      .dimension = dimension});
  const auto devices = opposite_devices(dimension);
  const auto gradients = std::make_shared<const optimize::RecordGradient>(
      devices->records, devices->loss,
      optimize::ContributionLimit{.clipping_norm = 1, .norm_bits = randomizer.norm_bits()});
  Subject subject{.pair = "two devices with gradients of opposite signs, at their bound",
                  .claim = claim};
  subject.gaussian = !randomizer.pure();
  subject.draw = [=](bool other, std::uint64_t seed, std::span<double> out) {
    random::SeededSource source(seed);
    privacy::TrustingBudget budget(claim.adjacency);
    auto reservation =
        budget.reserve(privacy::Repeated{std::ssize(out), randomizer.event()},
                       {std::numeric_limits<double>::infinity(), 0, claim.adjacency});
    const std::vector<double> start(static_cast<std::size_t>(dimension), 0.0);
    std::uint64_t step = 0;
    for (double& number : out) {
      // A device of the label 1 has the negative gradient.
      const auto report =
          mechanism::release_report(gradients->at(start, devices && other ? 1 : 0), randomizer,
                                    {.step = step++}, source, reservation);
      number = score_of(report.value(), randomizer);
    }
  };
  return subject;
}

}  // namespace tacet::audit
