#include "tacet/learn/recorded_events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/block_laplace.h"
#include "tacet/mechanism/noise/partial_gaussian.h"

namespace tacet::learn::internal {
namespace {

using privacy::Event;

struct Count {
  Event event;
  std::int64_t times;
};

/// The releases of an event in order, equal ones once. No method has more than `most` of them.
void count_releases(const Event& event, std::int64_t times, std::vector<Count>& counts) {
  constexpr std::size_t most = 1000;
  if (const auto* repeated = event.as<privacy::Repeated>()) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(times, repeated->count, &product))
      contradiction("too many releases");
    count_releases(*repeated->base, product, counts);
    return;
  }
  if (const auto* composed = event.as<privacy::Composed>()) {
    if (composed->parts.size() > most) contradiction("more kinds of releases than any method has");
    for (const auto& part : composed->parts) count_releases(part, times, counts);
    return;
  }
  const auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](const Count& one) { return one.event == event; });
  if (found == counts.end()) {
    if (counts.size() == most) contradiction("more kinds of releases than any method has");
    counts.push_back({event, times});
  } else if (__builtin_add_overflow(found->times, times, &found->times)) {
    contradiction("too many releases");
  }
}

std::vector<Count> releases_of(const Event& event) {
  std::vector<Count> counts;
  count_releases(event, 1, counts);
  return counts;
}

void expect_sampling(const privacy::Receipt& receipt, std::string_view expected) {
  if (receipt.sampling == expected) return;
  contradiction(
      fmt::format("the sampling is called {}, but the method's is {}", receipt.sampling, expected));
}

/// The noise multiplier, and the grid of the clipping norm that follows from it.
double noise_of(Parameters& parameters) {
  const double noise = parameters.real("noise_multiplier");
  if (!(noise > 0 && std::isfinite(noise))) contradiction("the noise multiplier is not above 0");
  parameters.expect("norm_bits", norm_bits_for(noise), "that noise multiplier leads to");
  return noise;
}

/// Methods with a paper's mode write down what the paper claims.
void expect_claim(Parameters& parameters, const privacy::Receipt& receipt) {
  const bool claimed = parameters.has("claimed_epsilon");
  if (claimed != (receipt.calibration == "paper")) {
    contradiction(fmt::format("the calibration is {}, but {} is claimed", receipt.calibration,
                              claimed ? "a paper's guarantee" : "no paper's guarantee"));
  }
  if (claimed && parameters.real("claimed_epsilon") < receipt.guarantee.epsilon) {
    contradiction("the paper claims less than what is stated");
  }
  if (claimed) parameters.expect("claimed_delta", receipt.guarantee.delta, "stated is");
}

// What each method's parameters lead to. `own` is what the receipt says that the method released:
// numbers that are no parameters are taken from there.

Event gradient_events(const privacy::Receipt& receipt, Parameters& parameters, const Event&) {
  Batches batches{.row_count = receipt.public_row_count.value_or(0)};
  if (receipt.sampling != "full_batch") {
    bool known = false;
    for (const auto kind :
         {BatchSampling::poisson, BatchSampling::fixed_size, BatchSampling::partition}) {
      if (receipt.sampling != to_string(kind)) continue;
      batches.sampling = kind;
      known = true;
    }
    if (!known) contradiction(fmt::format("method gradient has no sampling {}", receipt.sampling));
    batches.rate = parameters.real("sampling_rate");
    if (!(batches.rate > 0 && batches.rate < 1))
      contradiction("the sampling rate is not within 0 and 1");
    if (parameters.has("records_a_unit")) {
      batches.records_a_unit = parameters.count("records_a_unit");
      if (batches.records_a_unit < 1 || batches.records_a_unit > privacy::most_records_a_unit) {
        contradiction("the records a unit are not within their range");
      }
      if (batches.sampling != BatchSampling::poisson && batches.records_a_unit > 1) {
        contradiction("units of several records are sampled by poisson only");
      }
    }
  } else if (parameters.has("sampling_rate")) {
    contradiction("all records take part in each step, but there is a sampling_rate");
  }
  if (batches.sampling == BatchSampling::fixed_size ||
      batches.sampling == BatchSampling::partition) {
    batches.batch = parameters.count("batch_size");
    if (batches.batch < 1 || batches.batch > batches.row_count) {
      contradiction("the batch size is not within the number of records");
    }
    parameters.expect("sampling_rate",
                      static_cast<double>(batches.batch) / static_cast<double>(batches.row_count),
                      "batch size and number of records give");
  }
  const double noise = noise_of(parameters);
  expect_claim(parameters, receipt);
  const auto steps = parameters.count("steps");
  constexpr std::int64_t most_steps = 1000000;  // what the method takes
  if (steps < 1 || steps > most_steps) contradiction("the method takes 1 to a million steps");
  return batch_events(batches, steps, noise);
}

Event output_events(const privacy::Receipt& receipt, Parameters& parameters, const Event&) {
  expect_sampling(receipt, parameters.text("sampling"));
  const double noise = noise_of(parameters);
  expect_claim(parameters, receipt);
  return mechanism::BlockGaussian::event(privacy::NoiseMultiplier(noise));
}

Event phased_events(const privacy::Receipt& receipt, Parameters& parameters, const Event&) {
  expect_sampling(receipt, "permutation");
  const double noise = noise_of(parameters);
  return mechanism::BlockGaussian::event(privacy::NoiseMultiplier(noise));
}

/// A pure release: its epsilon is no parameter, so that only its kind can be held against the file.
template <typename Kind>
Event pure_release(const privacy::Receipt& receipt, const Event& own) {
  const auto* release = own.as<Kind>();
  if (release == nullptr || release->adjacency != receipt.guarantee.adjacency) {
    contradiction(fmt::format("the events are not what method {} releases", receipt.algorithm));
  }
  return own;
}

Event objective_events(const privacy::Receipt& receipt, Parameters& parameters, const Event& own) {
  expect_sampling(receipt, "full_batch");
  parameters.expect("calibration", receipt.calibration, "the receipt says");
  const double regularization = parameters.real("regularization");
  parameters.expect("l2",
                    regularization / static_cast<double>(receipt.public_row_count.value_or(0)),
                    "regularization and number of records give");
  const auto* joint = own.as<privacy::ObjectivePerturbation>();
  if (joint == nullptr) return pure_release<privacy::PureDp>(receipt, own);
  auto expected = *joint;
  expected.sigma = parameters.real("objective_noise");
  expected.output_sigma = parameters.real("output_noise");
  expected.regularization = regularization;
  expected.tolerance = parameters.real("distance") * regularization * (1 + 1e-13);
  return expected;
}

Event regularized_output_events(const privacy::Receipt& receipt, Parameters& parameters,
                                const Event& own) {
  expect_sampling(receipt, "full_batch");
  parameters.expect(
      "l2",
      parameters.real("regularization") / static_cast<double>(receipt.public_row_count.value_or(0)),
      "regularization and number of records give");
  const double noise = parameters.real("noise_multiplier");
  if (noise == 0) return pure_release<privacy::PureDp>(receipt, own);
  return privacy::Gaussian{noise};
}

Event bounded_range(const privacy::Receipt& receipt, Parameters&, const Event& own) {
  expect_sampling(receipt, "full_batch");
  return pure_release<privacy::BoundedRange>(receipt, own);
}

Event evaluation_events(const privacy::Receipt& receipt, Parameters& parameters, const Event&) {
  expect_sampling(receipt, "full_batch");
  const double noise = noise_of(parameters);
  return privacy::Gaussian{noise};
}

/// One phase of ladder, localized, growth and phased-erm.
Event phase_event(const privacy::Receipt& receipt, const std::string& noise, double level) {
  if (noise == "gaussian") return privacy::Gaussian{level};
  if (noise == "coordinate laplace") return privacy::Laplace{level};
  if (noise == "euclidean laplace") return privacy::PureDp{level, receipt.guarantee.adjacency};
  contradiction(fmt::format("there is no noise called {}", noise));
}

Event localization_events(const privacy::Receipt& receipt, Parameters& parameters,
                          const Event& own) {
  expect_sampling(receipt, "full_batch");
  const auto noise = parameters.text("noise");
  const auto use = parameters.text("record_use");
  const std::string level = noise == "euclidean laplace" ? "phase_epsilon" : "noise_multiplier";
  if (use == "disjoint") {
    return privacy::Partitioned{privacy::Assignment::by_position,
                                {phase_event(receipt, noise, parameters.real(level))}};
  }
  if (use != "reuse") contradiction(fmt::format("records are used neither {} nor disjoint", use));
  const auto phases = parameters.count("phases");
  if (phases < 1) contradiction("there are no phases");
  if (parameters.has(level)) {
    return privacy::Repeated{phases, phase_event(receipt, noise, parameters.real(level))};
  }
  // The levels between the first and the last are the events' own.
  const auto first = phase_event(receipt, noise, parameters.real("first_" + level));
  const auto last = phase_event(receipt, noise, parameters.real("last_" + level));
  const auto releases = releases_of(own);
  std::int64_t total = 0;
  for (const auto& release : releases) {
    if (privacy::kind_name(release.event) != privacy::kind_name(first))
      contradiction("the events are of another noise");
    total += release.times;
  }
  const bool ends = !releases.empty() && releases.front().event == first &&
                    std::ranges::any_of(releases, [&](const Count& c) { return c.event == last; });
  if (total != phases || !ends)
    contradiction("the phases and their noise are not those of the events");
  return own;
}

constexpr std::array<std::pair<std::string_view, EventsOf>, 12> table{
    {{"gradient", gradient_events},
     {"output", output_events},
     {"phased", phased_events},
     {"inverse-sensitivity", bounded_range},
     {"objective", objective_events},
     {"regularized-output", regularized_output_events},
     {"ladder", localization_events},
     {"localized", localization_events},
     {"growth", localization_events},
     {"phased-erm", localization_events},
     {"evaluation", evaluation_events},
     {"quantile by inverse sensitivity", bounded_range}}};

}  // namespace

void contradiction(const std::string& what) { throw base::DataError(what); }

EventsOf events_of(std::string_view algorithm) {
  const auto found =
      std::ranges::find(table, algorithm, &std::pair<std::string_view, EventsOf>::first);
  return found == table.end() ? nullptr : found->second;
}

bool same_releases(const Event& one, const Event& other) {
  const auto a = releases_of(one);
  const auto b = releases_of(other);
  return a.size() == b.size() && std::ranges::all_of(a, [&](const Count& wanted) {
           return std::ranges::any_of(b, [&](const Count& count) {
             return count.event == wanted.event && count.times == wanted.times;
           });
         });
}

}  // namespace tacet::learn::internal
