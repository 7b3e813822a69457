// Accounting four trainings to a relative width of 1e-3, Renyi accounting, calibrations, how the
// cost grows with the number of steps, and Poisson samples with a replaced record: their time,
// width and epsilon, the last against what the pair of samples of fixed size gave for it.
//
//   accountant_bench OUTPUT.json [REPETITIONS]
//
// writes rows (name, value, unit, baseline, ratio): the median time of each setting, its peak
// memory (a process of its own) and the width reached, each against what it must not exceed.
// Without arguments the rows go to standard output.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/routes/rdp.h"

namespace {

using namespace tacet::accounting;
using namespace tacet::privacy;
using Json = nlohmann::ordered_json;

struct Setting {
  double rate;
  double noise;
  std::int64_t steps;
  double delta;
  double allowed_seconds;
};

double median_seconds(int repetitions, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const std::clock_t start = std::clock();
    work();
    times.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Peak memory of a process that does `work` and nothing else.
double peak_megabytes(const std::function<void()>& work) {
  const auto child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) std::exit(1);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Json row(const std::string& name, double value, const char* unit, double baseline) {
  return {{"name", name},
          {"value", value},
          {"unit", unit},
          {"baseline", baseline},
          {"ratio", value / baseline}};
}

/// A calibration at a tiny rate, or of another unknown than the noise.
struct Problem {
  std::string name;
  std::function<void()> solve;
};

std::vector<Problem> problems() {
  const auto number = [](double value) { return Json(value).dump(); };
  std::vector<Problem> all;
  struct Rare {
    double rate;
    std::int64_t steps;
    double target;
    double delta;
  };
  for (const auto& r :
       {Rare{1e-5, 1000000, 1, 1e-6}, Rare{1e-5, 10000000, 1, 1e-6}, Rare{5e-9, 100000, 0.5, 1e-6},
        Rare{1e-7, 1000000, 1, 1e-10}, Rare{1e-8, 1000000, 1, 1e-10}}) {
    all.push_back({"noise, rate " + number(r.rate) + " steps " + std::to_string(r.steps) +
                       " epsilon " + number(r.target) + " delta " + number(r.delta),
                   [r] {
                     static_cast<void>(calibrate_noise(
                         {SamplingRate(r.rate), r.steps},
                         {Epsilon(r.target), Delta(r.delta), Adjacency::add_remove}));
                   }});
  }
  struct Many {
    double rate;
    double noise;
    double target;
    double delta;
  };
  for (const auto& m : {Many{1e-4, 1, 3, 1e-6}, Many{1e-4, 1, 3, 1e-5}, Many{0.01, 1, 1.5, 1e-6},
                        Many{1e-5, 0.53, 1, 1e-6}}) {
    all.push_back({"steps, rate " + number(m.rate) + " noise " + number(m.noise) + " epsilon " +
                       number(m.target) + " delta " + number(m.delta),
                   [m] {
                     const auto event = [m](std::int64_t steps) {
                       return to_event({SamplingRate(m.rate), steps}, NoiseMultiplier(m.noise));
                     };
                     static_cast<void>(max_steps(
                         event, {Epsilon(m.target), Delta(m.delta), Adjacency::add_remove}));
                   }});
  }
  struct Often {
    std::int64_t steps;
    double noise;
    double target;
    double delta;
  };
  for (const auto& o : {Often{1000, 1, 1, 1e-6}, Often{1000000, 0.8, 2, 1e-8},
                        Often{10000000, 0.9, 1, 1e-9}, Often{32, 0.32, 0.34, 2.6e-6}}) {
    all.push_back({"rate, steps " + std::to_string(o.steps) + " noise " + number(o.noise) +
                       " epsilon " + number(o.target) + " delta " + number(o.delta),
                   [o] {
                     static_cast<void>(calibrate_rate(
                         o.steps, NoiseMultiplier(o.noise),
                         {Epsilon(o.target), Delta(o.delta), Adjacency::add_remove}));
                   }});
  }
  return all;
}

/// Poisson samples under replace_one, with the upper end that the pair of fixed-size samples at
/// twice the distance gave.
void add_replaced(int repetitions, Json& rows) {
  struct Replaced {
    double rate;
    double noise;
    std::int64_t steps;
    double delta;
    double before;
  };
  for (const auto& r :
       {Replaced{.01, 1, 1, 1e-5, 3.02535781}, Replaced{.01, 1, 1000, 1e-5, 14.8242946},
        Replaced{.001, .8, 3000, 1e-6, 11.2010879},
        Replaced{256.0 / 60000, 1.1, 14063, 1e-5, 18.4568795},
        Replaced{.05, 2, 500, 1e-6, 9.94494156}, Replaced{.2, 4, 200, 1e-6, 8.97667764},
        Replaced{.5, 3, 10, 1e-8, 8.09594891}, Replaced{1e-4, .5, 100000, 1e-7, 71.2686787},
        Replaced{.022, 1.07, 285, 1e-5, 13.4254473}, Replaced{.9, 10, 100, 1e-10, 12.77653},
        Replaced{.01, 1, 1000, 1e-20, 42.604202}, Replaced{1, 5, 20, 1e-6, 9.61739911}}) {
    const Event event = Repeated{r.steps, PoissonSampled{r.rate, Gaussian{r.noise}}};
    PrivacyInterval interval{0, 0, false, ""};
    const double seconds = median_seconds(repetitions, [&] {
      interval = epsilon_interval(event, Adjacency::replace_one, Delta(r.delta));
    });
    const auto name = "replace_one, rate " + Json(r.rate).dump() + " noise " +
                      Json(r.noise).dump() + " steps " + std::to_string(r.steps) + " delta " +
                      Json(r.delta).dump();
    rows.push_back(row("epsilon, " + name, interval.upper, "epsilon", r.before));
    rows.push_back(row("width, " + name, (interval.upper - interval.lower) / interval.upper,
                       "relative", 1e-3));
    rows.push_back(row("interval, " + name, seconds, "s", 0.3));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 2 ? std::max(1, std::atoi(arguments[2])) : 5;
  const std::vector<Setting> settings{{5e-3, 0.8, 1000, 1e-6, 0.05},
                                      {256.0 / 60000, 1.1, 14063, 1e-5, 0.2},
                                      {0.01, 1, 10000, 1e-5, 0.3},
                                      {1e-3, 0.6, 100000, 1e-6, 1}};
  auto rows = Json::array();
  for (const auto& s : settings) {
    const Event event = Repeated{s.steps, PoissonSampled{s.rate, Gaussian{s.noise}}};
    const auto name = "rate " + Json(s.rate).dump() + " noise " + Json(s.noise).dump() + " steps " +
                      std::to_string(s.steps);
    PrivacyInterval interval{0, 0, false, ""};
    const double seconds = median_seconds(repetitions, [&] {
      interval = epsilon_interval(event, Adjacency::add_remove, Delta(s.delta));
    });
    rows.push_back(row("interval, " + name, seconds, "s", s.allowed_seconds));
    rows.push_back(row("width, " + name, (interval.upper - interval.lower) / interval.upper,
                       "relative", 1e-3));
    const double memory = peak_megabytes(
        [&] { static_cast<void>(epsilon_interval(event, Adjacency::add_remove, Delta(s.delta))); });
    rows.push_back(row("memory, " + name, memory, "MB", 64));
    const double renyi = median_seconds(repetitions, [&] {
      static_cast<void>(
          rdp::best_epsilon(*rdp::curve(event, Adjacency::add_remove), Delta(s.delta)));
    });
    rows.push_back(row("renyi, " + name, renyi, "s", 0.005));
    const double calibration = median_seconds(repetitions, [&] {
      static_cast<void>(calibrate_noise({SamplingRate(s.rate), s.steps},
                                        {Epsilon(2), Delta(s.delta), Adjacency::add_remove}));
    });
    rows.push_back(row("calibration to epsilon 2, " + name, calibration, "s", 1));
  }
  double first = 0;
  for (const std::int64_t steps : {1000, 10000, 100000, 1000000}) {
    const Event event = Repeated{steps, PoissonSampled{1e-3, Gaussian{1}}};
    const double seconds = median_seconds(repetitions, [&] {
      static_cast<void>(epsilon_interval(event, Adjacency::add_remove, Delta(1e-6)));
    });
    if (first == 0) first = seconds;
    rows.push_back(row("interval by steps, rate 0.001 noise 1 steps " + std::to_string(steps),
                       seconds, "s", first));
  }
  add_replaced(repetitions, rows);
  for (const auto& problem : problems()) {
    const double seconds = median_seconds(repetitions, problem.solve);
    rows.push_back(row("calibration, " + problem.name, seconds, "s", 1));
  }
  if (count > 1) {
    std::ofstream file(arguments[1]);
    file << rows.dump(2) << "\n";
    return file ? 0 : 1;
  }
  std::cout << rows.dump(2) << "\n";
  return 0;
}
