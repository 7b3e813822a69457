#include "tacet/run/release.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/base/version.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/run/booking.h"
#include "tacet/run/own_source.h"

namespace tacet::run {
namespace {

constexpr auto noise_names = base::names<Noise>({{Noise::gaussian, "gaussian"},
                                                 {Noise::laplace, "laplace"},
                                                 {Noise::discrete_gaussian, "discrete_gaussian"},
                                                 {Noise::discrete_laplace, "discrete_laplace"}});

/// What is public about a sum.
struct SumFacts {
  double grid;
  std::int64_t length;    // bound of a contribution's L2 norm
  std::int64_t absolute;  // of its L1 norm
  std::int64_t dimension;
};

SumFacts facts_of(const privacy::BoundedSum& sum) {
  return {sum.grid(), sum.contribution_bound(), mechanism::internal::absolute_norm_bound(sum),
          static_cast<std::int64_t>(sum.size())};
}

/// The event of noise that is `multiplier` times a record's bound, in the norm that the law is
/// proved for.
privacy::Event event_of(Noise noise, const SumFacts& sum, double multiplier) {
  const auto times = [&](std::int64_t bound) { return multiplier * static_cast<double>(bound); };
  switch (noise) {
    case Noise::gaussian:
      return privacy::Gaussian{multiplier};
    case Noise::laplace:
      return privacy::Laplace{multiplier};
    case Noise::discrete_gaussian:
      return privacy::DiscreteGaussian{times(sum.length), sum.length, sum.dimension};
    case Noise::discrete_laplace:
      return privacy::DiscreteLaplace{times(sum.absolute), sum.absolute};
  }
  throw base::InternalError("an unknown kind of noise");
}

/// The standard deviation of the noise in one number, in real units. Rounding to the grid adds a
/// twelfth of the squared grid unit to the variance.
double stddev_of(Noise noise, const SumFacts& sum, double multiplier) {
  const bool gaussian = noise == Noise::gaussian || noise == Noise::discrete_gaussian;
  const auto bound = static_cast<double>(gaussian ? sum.length : sum.absolute);
  return multiplier * bound * sum.grid * (gaussian ? 1.0 : std::sqrt(2.0));
}

/// The PRG slack of a release: what its mechanism claims.
double prg_slack_term_of(Noise noise, const SumFacts& sum) {
  return random::prg_slack_of(1,
                              noise == Noise::gaussian ? sum.dimension : random::max_block_words);
}

auto drawn(privacy::BoundedSum sum, Noise noise, privacy::NoiseMultiplier multiplier,
           const mechanism::ReleaseContext& context) {
  switch (noise) {
    case Noise::gaussian:
      return mechanism::release_gaussian(std::move(sum), multiplier, context);
    case Noise::laplace:
      return mechanism::release_laplace(std::move(sum), multiplier, context);
    case Noise::discrete_gaussian:
      return mechanism::release_discrete_gaussian(std::move(sum), multiplier, context);
    case Noise::discrete_laplace:
      return mechanism::release_discrete_laplace(std::move(sum), multiplier, context);
  }
  throw base::InternalError("an unknown kind of noise");
}

/// The event as the mechanism itself will debit it, which knows the sum's range: what it has no
/// room for is refused here, before anything is booked.
privacy::Event debited(const privacy::BoundedSum& sum, Noise noise,
                       privacy::NoiseMultiplier multiplier) {
  switch (noise) {
    case Noise::gaussian:
      return mechanism::gaussian_event(sum, multiplier);
    case Noise::laplace:
      return mechanism::laplace_event(sum, multiplier);
    case Noise::discrete_gaussian:
      return mechanism::discrete_gaussian_event(sum, multiplier);
    case Noise::discrete_laplace:
      return mechanism::discrete_laplace_event(sum, multiplier);
  }
  throw base::InternalError("an unknown kind of noise");
}

constexpr const char* seeded_noise =
    "the noise was drawn from a known seed; for tests and experiments only";

void check(const privacy::BoundedSum& sum, const privacy::Guarantee& asked,
           const ReleaseOptions& options) {
  if (!(asked.epsilon > 0 && std::isfinite(asked.epsilon))) {
    throw base::UsageError("epsilon must be above 0 and finite, got {}", asked.epsilon);
  }
  if (sum.size() == 0) throw base::UsageError("the sum was taken before; make another one");
  if (!sum.sample().is_all()) {
    throw base::UsageError("a sum over a secret sample is released by who drew the sample");
  }
  const auto* ledger = dynamic_cast<const ledger::LedgerBudget*>(options.budget);
  if (ledger == nullptr) return;
  const bool seeded = options.source != nullptr && !options.source->secure();
  internal::check_details(ledger->details(),
                          {options.privacy_unit, seeded ? seeded_noise : std::string_view{}});
}

privacy::Receipt receipt_of(const ReleaseOptions& options, const SumFacts& sum,
                            const privacy::Reservation& reservation, double multiplier) {
  privacy::Receipt receipt;
  receipt.algorithm = "sum";
  receipt.calibration = "tight";
  nlohmann::json parameters{{"noise", to_string(options.noise)}, {"noise_multiplier", multiplier},
                            {"dimension", sum.dimension},        {"grid", sum.grid},
                            {"contribution_bound", sum.length},  {"absolute_bound", sum.absolute}};
  if (options.privacy_unit != "record")
    parameters["max_records_per_unit"] = options.max_records_per_unit;
  receipt.parameters = parameters.dump();
  receipt.events = reservation.spent();
  receipt.guarantee = reservation.guarantee();
  receipt.privacy_unit = options.privacy_unit;
  receipt.prg_slack = prg_slack_term_of(options.noise, sum);
  receipt.software_version = base::version;
  receipt.notes = reservation.noted({});
  return receipt;
}

}  // namespace

std::string to_string(Noise noise) { return noise_names.of(noise); }

privacy::Event recorded_sum(const privacy::Receipt& receipt, learn::RecordedParameters& parameters,
                            const privacy::Event& /*own*/) {
  learn::expect_plain_release(receipt);
  const auto noise = noise_names.find(parameters.text("noise"));
  if (!noise) throw base::DataError("there is no noise of the kind {}", parameters.text("noise"));
  const SumFacts sum{.grid = 1,
                     .length = parameters.count("contribution_bound"),
                     .absolute = parameters.count("absolute_bound"),
                     .dimension = parameters.count("dimension")};
  return event_of(*noise, sum, parameters.real("noise_multiplier"));
}

ReleasedSum release(privacy::BoundedSum sum, const privacy::Guarantee& asked,
                    const ReleaseOptions& options) {
  check(sum, asked, options);
  const auto facts = facts_of(sum);
  const double term = prg_slack_term_of(options.noise, facts);
  const double multiplier =
      accounting::min_noise([&](double noise) { return event_of(options.noise, facts, noise); },
                            {privacy::Epsilon(asked.epsilon),
                             privacy::delta_left(privacy::checked(asked), term), asked.adjacency});
  const privacy::NoiseMultiplier noise(multiplier);
  const auto event = debited(sum, options.noise, noise);
  internal::check_memory_budget(options.budget, options.privacy_unit);
  const auto cost = accounting::stated_guarantee(event, asked, term);
  const internal::OwnSource source(options.source);
  auto reservation = options.budget != nullptr ? options.budget->reserve(event, cost)
                                               : privacy::Reservation(event, cost, nullptr);
  auto released = drawn(std::move(sum), options.noise, noise, {{}, source.get(), reservation});
  reservation.commit();
  ReleasedSum result{.values = released.value(),
                     .noise_stddev = stddev_of(options.noise, facts, multiplier),
                     .receipt = receipt_of(options, facts, reservation, multiplier)};
  if (!source.get().secure()) {
    result.receipt.randomness = privacy::Randomness::seeded;
    result.receipt.unprotected_reason = seeded_noise;
  }
  return result;
}

}  // namespace tacet::run
