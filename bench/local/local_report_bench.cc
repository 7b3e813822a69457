// Time of local reports, one thread.
//
//     local_report_bench [FILE] [CLIENTS]     writes its rows as JSON: name, microseconds of CPU a
//     client,
//                                      those of the same randomiser in doubles, the ratio
//
// A client is a gradient of 100 coordinates, its report and the server's estimate of it. The other
// side is PrivUnit as it is usually programmed, in doubles, from the cap's law of one coordinate
// and a normal vector, with a Mersenne twister: fast, and without a guarantee in finite arithmetic.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tacet/mechanism/local/release_report.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::int64_t dimension = 100;

double cpu_seconds() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(now.ru_utime) + seconds(now.ru_stime);
}

privacy::PartialSum gradient_of(const mechanism::LocalRandomizer& randomizer, std::int64_t record) {
  std::vector<std::int64_t> values(dimension);
  const std::int64_t bound = std::int64_t{1} << randomizer.norm_bits();
  for (std::int64_t j = 0; j < dimension; ++j) {
    values[static_cast<std::size_t>(j)] = ((record * 7 + j * j) % 17 - 8) * bound / 128;
  }
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(
          privacy::Certifier::clipped(), std::move(values),
          std::ldexp(randomizer.spec().clipping_norm, -randomizer.norm_bits()), bound),
      privacy::OneRecord{record});
}

/// Microseconds of CPU a client.
double time_reports(const mechanism::LocalRandomizer& randomizer, std::int64_t clients) {
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
  auto permit = budget.reserve(mechanism::DeviceReports::event(randomizer, 1),
                               {1, 0, privacy::Adjacency::replace_one});
  mechanism::DeviceReports devices(randomizer, clients, 1, permit);
  std::vector<double> estimate(dimension);
  double sum = 0;
  const double start = cpu_seconds();
  for (std::int64_t i = 0; i < clients; ++i) {
    const auto report = devices.release(gradient_of(randomizer, i),
                                        {.step = static_cast<std::uint64_t>(i)}, *source);
    mechanism::decode(report.value(), randomizer, estimate);
    sum += estimate[0];
  }
  const double spent = cpu_seconds() - start;
  if (!std::isfinite(sum)) std::abort();
  return 1e6 * spent / static_cast<double>(clients);
}

/// The coordinate along u, inside the cap or outside, by rejection; then a normal vector across it.
double time_doubles(const mechanism::LocalRandomizer& randomizer, std::int64_t clients) {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto d = static_cast<std::size_t>(randomizer.report_coordinates());
  const double gamma = randomizer.noise().threshold;
  const double inside = randomizer.noise().inside;
  std::chi_squared_distribution<double> others(static_cast<double>(d - 1));
  std::vector<double> u(d, 1 / std::sqrt(static_cast<double>(d)));
  std::vector<double> w(d);
  double sum = 0;
  const double start = cpu_seconds();
  for (std::int64_t i = 0; i < clients; ++i) {
    const bool wanted = uniform(bits) < inside;
    double tau = 0;
    do {
      const double z = normal(bits);
      tau = z / std::sqrt(z * z + others(bits));
    } while ((tau >= gamma) != wanted);
    double along = 0;
    for (std::size_t j = 0; j < d; ++j) along += u[j] * (w[j] = normal(bits));
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      w[j] -= along * u[j];
      square += w[j] * w[j];
    }
    const double scale = std::sqrt((1 - tau * tau) / square);
    for (std::size_t j = 0; j < d; ++j) w[j] = tau * u[j] + scale * w[j];
    sum += w[0];
  }
  const double spent = cpu_seconds() - start;
  if (!std::isfinite(sum)) std::abort();
  return 1e6 * spent / static_cast<double>(clients);
}

nlohmann::json row(double epsilon, std::int64_t clients) {
  const auto randomizer =
      mechanism::LocalRandomizer::calibrate({.epsilon = epsilon, .dimension = dimension});
  const double ours = time_reports(randomizer, clients);
  const double doubles = time_doubles(randomizer, clients);
  return {{"name", fmt::format("privunit, d = {}, epsilon {}", dimension, epsilon)},
          {"candidates", randomizer.expected_candidates()},
          {"microseconds", ours},
          {"in_doubles", doubles},
          {"ratio", ours / doubles}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t clients = argc > 2 ? std::atoll(argv[2]) : 1000000;
  nlohmann::json rows = nlohmann::json::array();
  for (const double epsilon : {1.0, 4.0, 8.0}) {
    rows.push_back(row(epsilon, epsilon > 4 ? clients / 10 : clients));
    std::cout << rows.back().dump() << "\n";
  }
  if (argc > 1) std::ofstream(argv[1]) << rows.dump(1) << "\n";
  return 0;
}
