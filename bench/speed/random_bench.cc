// Speed of the exact samplers on one core, side by side with the machine's keystream and with
// NumPy's generator: random_bench RESULT.json [bench/speed/numpy_normals.py]. Processor time, best
// of five rounds.

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tacet/random/choose/crossings.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/exact/race.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/vector_laplace.h"

namespace {

using namespace tacet::random;

constexpr int rounds = 5;
constexpr std::size_t block = std::size_t{1} << 16;

double seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Shortest time of one round.
template <class Work>
double shortest(Work work) {
  double best = HUGE_VAL;
  for (int round = 0; round < rounds; ++round) {
    const double start = seconds();
    work();
    best = std::min(best, seconds() - start);
  }
  return best;
}

class Report {
 public:
  void row(const std::string& name, double value, const std::string& unit,
           const std::string& baseline = {}, double baseline_value = 0) {
    nlohmann::json entry = {{"name", name}, {"value", value}, {"unit", unit}};
    entry["baseline"] = baseline.empty() ? nlohmann::json(nullptr) : nlohmann::json(baseline);
    entry["ratio"] =
        baseline_value > 0 ? nlohmann::json(value / baseline_value) : nlohmann::json(nullptr);
    rows_.push_back(entry);
    fmt::print("{:<44} {:>12.2f} {:<6}", name, value, unit);
    if (baseline_value > 0) fmt::print(" {:.2f} x {}", value / baseline_value, baseline);
    fmt::print("\n");
  }
  void write(const char* path) const { std::ofstream(path) << rows_.dump(2) << '\n'; }

 private:
  nlohmann::json rows_ = nlohmann::json::array();
};

/// Million normals a second, or 0 where the script gives nothing.
double numpy_rate(const char* script) {
  const std::string command = fmt::format("python3 '{}' 2>/dev/null", script);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::array<char, 64> line{};
  const bool read = std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  pclose(pipe);
  return read ? std::strtod(line.data(), nullptr) / 1e6 : 0;
}

struct Bench {
  SeededSource source{1};
  std::uint64_t next_index = 0;
  Report report;
  std::vector<std::int64_t> values = std::vector<std::int64_t>(block);

  BlockClaim claim() { return source.claim(Purpose::noise, 0, next_index++); }

  template <class Sampler>
  double rate(std::size_t count, Sampler sampler) {
    return static_cast<double>(count) / shortest(sampler) / 1e6;
  }

  double keystream() {
    const KeystreamBlock keystream(claim());
    KeystreamBlockReader reader(keystream);
    std::vector<std::uint64_t> words(block);
    const double result = rate(200 * block, [&] {
      for (int i = 0; i < 200; ++i) reader.words(0, words);
    });
    report.row("keystream, AES-256-CTR words", result, "M/s");
    return result;
  }

  void gaussians(double keystream_rate, double numpy) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      for (const int exponent : {20, 32}) {
        const KeystreamBlock keystream(claim());
        std::uint64_t first = 0;
        const double result = rate(100 * block, [&] {
          for (int i = 0; i < 100; ++i, first += block) {
            internal::add_rounded_gaussian(keystream, std::ldexp(1.0, exponent), values, first);
          }
        });
        const auto name =
            fmt::format("rounded Gaussian, {}, sigma 2^{}", hwy::TargetName(target), exponent);
        report.row(name, result, "M/s", "keystream", keystream_rate);
        if (numpy > 0) report.row(name + " ", result, "M/s", "NumPy standard_normal", numpy);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }

  void integers() {
    for (const std::uint64_t variance :
         {std::uint64_t{1}, std::uint64_t{10000}, std::uint64_t{1} << 40}) {
      report.row(fmt::format("discrete Gaussian, sigma^2 {}", variance),
                 rate(block,
                      [&] {
                        add_discrete_gaussian(claim(), {variance, 1}, values);
                      }),
                 "M/s");
    }
    report.row("discrete Laplace, scale 1000",
               rate(block,
                    [&] {
                      add_discrete_laplace(claim(), {1000, 1}, values);
                    }),
               "M/s");
    report.row("rounded Laplace, scale 2^20",
               rate(block, [&] { add_rounded_laplace(claim(), 0x1p20, values); }), "M/s");
    report.row(
        "rounded L2 Laplace, 1000 coordinates, 2^16",
        rate(1000, [&] { add_rounded_l2_laplace(claim(), 0x1p16, std::span(values).first(1000)); }),
        "M/s");
  }

  void samples() {
    constexpr std::int64_t records = 1 << 22;
    for (const double q : {0.5, 0.01, 1e-4}) {
      report.row(
          fmt::format("Poisson sample, rate {}, records", q),
          rate(records,
               [&] {
                 static_cast<void>(poisson_sample(claim(), PoissonRate::at_least(q), records));
               }),
          "M/s");
    }
    std::vector<ScoredCandidate> listed;
    for (std::int64_t i = 0; i < 1000; ++i) listed.push_back({i * 99991, i % 50});
    report.row("race, k = 100 of 10^8, 10^3 listed",
               1e3 * shortest([&] {
                 static_cast<void>(exponential_race(claim(), 100000000, listed, 0.3, 100));
               }),
               "ms");
    const auto threshold = static_cast<std::int64_t>(4.75 * 0x1p20);  // about 100 of 10^8 reach it
    report.row(
        "threshold crossings, 10^8 rows, 10^3 listed",
        1e3 * shortest([&] {
          static_cast<void>(gaussian_crossings(claim(), 100000000, listed, 0x1p20, threshold));
        }),
        "ms");
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: random_bench RESULT.json [numpy_normals.py]\n");
    return 2;
  }
  Bench bench;
  // Others' work on the machine slows all rows; the ratios less.
  double load = 0;
  if (getloadavg(&load, 1) == 1) bench.report.row("load average when begun", load, "tasks");
  const double numpy = argc > 2 ? numpy_rate(argv[2]) : 0;
  const double keystream = bench.keystream();
  if (numpy > 0) bench.report.row("NumPy standard_normal, SFC64, doubles", numpy, "M/s");
  bench.gaussians(keystream, numpy);
  bench.integers();
  bench.samples();
  bench.report.write(argv[1]);
  return 0;
}
