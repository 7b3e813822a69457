// Faults of noise: too little of it, off its grid, or used twice.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/support.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/choose/subset.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;

constexpr privacy::Guarantee claimed{1, 1e-5, add_remove};
constexpr privacy::Guarantee pure{1, 0, add_remove};
constexpr int bits = 12;

privacy::BoundedSum sum_of(const std::vector<double>& record, optimize::Norm norm) {
  optimize::VectorSum sum(std::ssize(record), norm, 1, {}, bits);
  sum.add(record);
  return std::move(sum).take();
}

/// Neighbours reach the same outputs, all of them on the grid: of a record of one step of it the
/// last bit must drown too.
template <typename Release>
Finding support(const privacy::Event& event, const privacy::Guarantee& claim,
                const Release& release) {
  base::ThreadPool threads(base::available_threads());
  constexpr std::int64_t runs = 1000;
  const auto found = audit::audit_support(
      subject_of(event, claim,
                 [&](bool other, const ReleaseContext& context) {
                   return release({other ? std::ldexp(1.0, -bits) : 0.0}, context).value()[0];
                 }),
      std::ldexp(1.0, -bits), {.trials = runs, .seed = 55}, threads);
  return {found.off_grid > 0 ? 0 : found.residues.p_value, 2 * runs};
}

Finding support_of_gaussian() {
  const privacy::NoiseMultiplier noise(2);
  return support(privacy::Gaussian{2}, claimed,
                 [&](const std::vector<double>& record, const ReleaseContext& context) {
                   return mechanism::release_gaussian(sum_of(record, optimize::Norm::l2), noise,
                                                      context);
                 });
}

Finding support_of_laplace() {
  const privacy::NoiseMultiplier noise(1);
  return support(privacy::Laplace{1}, pure,
                 [&](const std::vector<double>& record, const ReleaseContext& context) {
                   return mechanism::release_laplace(sum_of(record, optimize::Norm::l1), noise,
                                                     context);
                 });
}

/// The words at two addresses; equal ones have a probability of 2^-64 each.
Finding equal_words(random::BlockClaim one, random::BlockClaim other) {
  std::array<std::uint64_t, 64> first{};
  std::array<std::uint64_t, 64> second{};
  random::KeystreamBlock(std::move(one)).words(0, first);
  random::KeystreamBlock(std::move(other)).words(0, second);
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i] ? 1 : 0;
  return {equal > 0 ? 0x1p-58 : 1, std::ssize(first)};
}

Finding noise_of_all_steps_equal() {
  random::SeededSource source(1);
  auto one = source.claim(random::Purpose::noise, 0, 0, 64);
  return equal_words(std::move(one), source.claim(random::Purpose::noise, 1, 0, 64));
}

Finding noise_of_resumed_runs_equal() {
  random::SeededSource source(1);
  auto one = source.claim(random::Purpose::noise, 0, 0, 64);
  source.next_run();
  return equal_words(std::move(one), source.claim(random::Purpose::noise, 0, 0, 64));
}

constexpr double rate = 0.25;
constexpr std::int64_t population = 1000;

/// Samples of some records, each of which joins at that rate.
template <typename Count>
std::int64_t counted(std::int64_t draws, const Count& count) {
  random::SeededSource source(2);
  std::int64_t times = 0;
  for (std::uint64_t step = 0; step < static_cast<std::uint64_t>(draws); ++step) {
    const random::KeystreamBlock block(source.claim(random::Purpose::sampling, step, 0));
    times +=
        count(random::poisson_sample(block, random::PoissonRate::at_least(rate), 0, population));
  }
  return times;
}

Finding sampling_rate_doubled() {
  constexpr std::int64_t draws = 200;
  const auto joined = counted(draws, [](const auto& sample) { return std::ssize(sample); });
  return share_is(rate, joined, draws * population);
}

Finding last_record_never_sampled() {
  constexpr std::int64_t draws = 400;
  const auto joined = counted(draws, [](const auto& sample) -> std::int64_t {
    return std::ranges::binary_search(sample, population - 1) ? 1 : 0;
  });
  return share_is(rate, joined, draws);
}

Finding sample_repeats_records() {
  random::SeededSource source(3);
  constexpr std::int64_t draws = 100;
  bool repeated = false;
  for (std::uint64_t step = 0; step < draws; ++step) {
    const auto sample =
        random::uniform_subset(source.claim(random::Purpose::sampling, step, 0), 10, 20);
    repeated = repeated || std::ranges::adjacent_find(sample) != sample.end();
  }
  return certain(repeated, draws);
}

/// Of a sum of nothing the noise alone is seen: it passes the record's bound as often as it should.
Finding noise_clipped_with_the_sum() {
  const privacy::NoiseMultiplier noise(2);
  constexpr std::int64_t runs = 500;
  auto subject =
      subject_of(privacy::Gaussian{2}, claimed, [&](bool, const ReleaseContext& context) {
        return mechanism::release_gaussian(sum_of({0}, optimize::Norm::l2), noise, context)
            .value()[0];
      });
  std::vector<double> out(runs);
  subject.draw(false, 1, out);
  const auto beyond = std::ranges::count_if(out, [](double y) { return std::fabs(y) > 1; });
  return share_is(std::erfc(0.5 / std::sqrt(2)), beyond, runs);
}

/// Of a table that nobody touches: 0 has a probability of 2^-15 in each cell.
Finding noise_on_touched_rows() {
  const privacy::RowLayout layout({{40, 3}}, 0);
  const auto proof = privacy::Certifier::clipped();
  auto sum = privacy::RowSum::from_certified(
      proof, privacy::BoundedSum::from_certified(proof, {}, 0.5, 1 << 14),
      privacy::RowSelection::all(), layout, {});
  random::SeededSource source(3);
  privacy::TrustingBudget budget(add_remove);
  auto reservation = budget.reserve(privacy::Gaussian{1}, claimed);
  const auto noisy = mechanism::release_rows(std::move(sum), privacy::NoiseMultiplier(1),
                                             {{}, source, reservation});
  const auto& values = noisy.value().values;
  return certain(std::ranges::all_of(values, [](double v) { return v == 0; }), std::ssize(values));
}

/// Sizes of samples vary: 50 equal ones of 1000 records have a probability below 10^-70.
Finding shuffle_for_poisson() {
  std::vector<std::int64_t> sizes;
  (void)counted(50, [&](const auto& sample) {
    sizes.push_back(std::ssize(sample));
    return 0;
  });
  return certain(std::ranges::all_of(sizes, [&](auto size) { return size == sizes[0]; }), 50);
}

/// What a record that is taken away from a sample shows above a cut is a lower bound of delta.
Finding add_taken_for_remove() {
  constexpr double share = 0.3;
  constexpr double sigma = 1;
  constexpr double epsilon = 0.5;
  const privacy::Event event = privacy::PoissonSampled{share, privacy::Gaussian{sigma}};
  const auto above = [](double t) { return 0.5 * std::erfc(t / std::sqrt(2)); };
  double least = 0;
  for (double t = -5; t < 8; t += 0.01) {
    const double without = above(t / sigma);
    const double with = (1 - share) * without + share * above((t - 1) / sigma);
    least = std::max(least, with - std::exp(epsilon) * without);
  }
  const auto claim = accounting::delta_interval(event, add_remove, privacy::Epsilon(epsilon));
  return certain(claim.upper < least, 1);
}

/// Two releases of a record, which are told apart by their sum.
Finding one_step_too_few() {
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5));
  const privacy::NoiseMultiplier noise(std::sqrt(2) / mu);
  const privacy::Event event = privacy::Repeated{2, privacy::Gaussian{noise.value()}};
  auto subject = subject_of(event, accounting::account(event, add_remove, privacy::Delta(1e-5)),
                            [=](bool other, const ReleaseContext& context) {
                              double sum = 0;
                              for (const std::uint64_t tensor : {0U, 1U}) {
                                auto again = context.address;
                                again.tensor = tensor;
                                sum += mechanism::release_gaussian(
                                           sum_of({other ? 1.0 : 0.0}, optimize::Norm::l2), noise,
                                           {again, context.source, context.reservation})
                                           .value()[0];
                              }
                              return sum;
                            });
  subject.gaussian = true;
  return audited(subject, 30000);
}

constexpr FaultTest tests[] = {
    {"halved_noise", [] { return audited("gaussian", claimed, 10000); }},
    {"variance_for_stddev", [] { return audited("gaussian", claimed, 30000); }},
    {"textbook_gaussian", support_of_gaussian},
    {"halved_laplace_noise", [] { return audited("laplace", pure, 3000); }},
    {"textbook_laplace", support_of_laplace},
    {"coarser_noise_grid", support_of_laplace},
    {"halved_discrete_laplace", [] { return audited("discrete-noise", pure, 10000); }},
    {"stddev_for_variance",
     [] {
       return audited("discrete-noise", {.5, 1e-5, add_remove}, 30000);
     }},
    {"noise_of_all_steps_equal", noise_of_all_steps_equal},
    {"noise_of_resumed_runs_equal", noise_of_resumed_runs_equal},
    {"noise_of_all_blocks_equal",
     [] {
       random::SeededSource source(1);
       auto one = source.claim(random::Purpose::noise, 0, 0, 64);
       return equal_words(std::move(one), source.claim(random::Purpose::noise, 0, 1, 64));
     }},
    {"noise_clipped_with_the_sum", noise_clipped_with_the_sum},
    {"noise_on_touched_rows", noise_on_touched_rows},
    {"shuffle_for_poisson", shuffle_for_poisson},
    {"add_taken_for_remove", add_taken_for_remove},
    {"sampling_rate_doubled", sampling_rate_doubled},
    {"last_record_never_sampled", last_record_never_sampled},
    {"sample_repeats_records", sample_repeats_records},
    {"replaced_record_at_one_bound",
     [] {
       return audited("gaussian", {1, 1e-5, replace_one}, 10000);
     }},
    {"laplace_at_one_bound",
     [] {
       return audited("laplace", {1, 0, replace_one}, 3000);
     }},
    {"one_step_too_few", one_step_too_few}};

}  // namespace

std::span<const FaultTest> noise_tests() { return tests; }

}  // namespace tacet::faults
