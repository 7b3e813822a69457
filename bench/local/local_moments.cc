// Second moments of local reports in many dimensions, where 10^6 of them take hours: the cells of
// the table "which mechanism" with d = 1000 and 10,000, drawn by the mechanisms and decoded.
//
//     local_moments FILE [SECONDS] [REPORTS]
//
// FILE holds a row a cell, written as soon as the cell is done: mechanism, d, epsilon, reports, the
// mean of |estimate|^2 with its standard error, what the noise model says, and how many standard
// errors lie between. Cells that stand there are left out, those that take least come first, and no
// new one is begun after SECONDS: a run that was stopped goes on. Exit code 1 where a cell lies 5
// standard errors away.
//
// All 60 cells with the usual 10^6 reports take some 24 hours of CPU. What was run, 24 cells with
// 10^5 reports, is in bench/local/tables/moments.md.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/mechanism/local/release_report.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;
using mechanism::LocalMechanism;
using mechanism::LocalRandomizer;
using nlohmann::json;

std::vector<LocalRandomizer> cells() {
  std::vector<LocalRandomizer> list;
  for (const std::int64_t d : {1000, 10000}) {
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0, 8.0}) {
      for (const auto& name : mechanism::local_mechanism_names.all) {
        list.push_back(
            LocalRandomizer::calibrate({.mechanism = name.value,
                                        .epsilon = epsilon,
                                        .delta = name.value == LocalMechanism::gaussian ? 1e-6 : 0,
                                        .dimension = d,
                                        .embedding = mechanism::Embedding::sign}));
      }
    }
  }
  const auto words = [](const LocalRandomizer& cell) {
    const bool joint = cell.spec().mechanism == LocalMechanism::l2_laplace;
    return cell.expected_candidates() * static_cast<double>(cell.report_coordinates()) *
           (joint ? 50 : 1);
  };
  std::ranges::sort(list, {}, words);
  return list;
}

json name_of(const LocalRandomizer& cell) {
  return {{"mechanism", mechanism::local_mechanism_names.of(cell.spec().mechanism)},
          {"d", cell.spec().dimension},
          {"epsilon", cell.spec().epsilon}};
}

bool stands_in(const json& rows, const LocalRandomizer& cell, std::int64_t reports) {
  const auto name = name_of(cell);
  return std::ranges::any_of(rows, [&](const json& row) {
    return row["reports"] >= reports && row["mechanism"] == name["mechanism"] &&
           row["d"] == name["d"] && row["epsilon"] == name["epsilon"];
  });
}

/// |g| = G, along the diagonal of the first two axes.
privacy::PartialSum gradient_of(const LocalRandomizer& cell, std::int64_t record) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(cell.spec().dimension));
  const std::int64_t bound = std::int64_t{1} << cell.norm_bits();
  values[0] = 3 * bound / 5;
  values[1] = 4 * bound / 5;
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values),
                                          std::ldexp(cell.spec().clipping_norm, -cell.norm_bits()),
                                          bound),
      privacy::OneRecord{record});
}

json measured(const LocalRandomizer& cell, std::int64_t reports) {
  random::SeededSource source(47);
  privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
  auto permit = budget.reserve(mechanism::DeviceReports::event(cell, 1),
                               {1, 0, privacy::Adjacency::replace_one});
  mechanism::DeviceReports devices(cell, reports, 1, permit);
  std::vector<double> estimate(static_cast<std::size_t>(cell.spec().dimension));
  const double model = cell.noise().second_moment(1);
  double sum = 0;  // of |estimate|^2 less the model's, which keeps the digits
  double squares = 0;
  for (std::int64_t i = 0; i < reports; ++i) {
    const auto report =
        devices.release(gradient_of(cell, i), {.step = static_cast<std::uint64_t>(i)}, source);
    mechanism::decode(report.value(), cell, estimate);
    double square = 0;
    for (const double x : estimate) square += x * x;
    sum += square - model;
    squares += (square - model) * (square - model);
  }
  const auto n = static_cast<double>(reports);
  const double error = std::sqrt(std::max(0.0, squares / n - sum / n * sum / n) / n);
  // Where every report weighs B, rounding is all that is left.
  const double least = 1e-12 * model;
  json row = name_of(cell);
  row["reports"] = reports;
  row["second_moment"] = model + sum / n;
  row["standard_error"] = error;
  row["model"] = model;
  row["distance"] = std::fabs(sum / n) / std::max(error, least);
  return row;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: local_moments FILE [SECONDS] [REPORTS]\n";
    return 2;
  }
  const double seconds = count > 2 ? std::atof(words[2]) : std::numeric_limits<double>::infinity();
  const std::int64_t reports = count > 3 ? std::atoll(words[3]) : 1'000'000;
  auto rows = json::array();
  if (std::ifstream before(words[1]); before) rows = json::parse(before);
  const auto start = std::chrono::steady_clock::now();
  const auto list = cells();
  std::size_t done = 0;
  for (const auto& cell : list) {
    const bool known = stands_in(rows, cell, reports);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    done += known ? 1 : 0;
    if (known || spent.count() > seconds) continue;
    rows.push_back(measured(cell, reports));
    ++done;
    std::cout << rows.back().dump() << std::endl;
    std::ofstream(words[1]) << rows.dump(1) << '\n';
  }
  std::cout << fmt::format("{} of {} cells\n", done, list.size());
  const bool held =
      std::ranges::all_of(rows, [](const json& row) { return row["distance"] <= 5.0; });
  return held ? EXIT_SUCCESS : EXIT_FAILURE;
}
