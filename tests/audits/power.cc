// audit_power [half | root2 | tenth | pure]...: audits of releases with too little noise, by the
// code that ships. Prints a row of docs/audit.md for each cell; exit code 1 where an audit found
// nothing.
//
// A release that is made for a larger epsilon has the noise of the fault; its claim is what sound
// noise would be made for. 4,000 simulated audits of each cell are in evidence_test.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/subjects.h"

namespace {

using tacet::audit::Subject;

constexpr auto neighbours = tacet::privacy::Adjacency::add_remove;
constexpr double delta = 1e-5;

struct Cell {
  std::string_view fault;
  std::string_view words;
  std::string_view release;
  double epsilon;  ///< claimed
  double times;    ///< so much less noise
  std::int64_t runs;
  int audits;
};

const Cell cells[] = {
    {"half", "half of the noise", "gaussian", 0.5, 2, 30000, 100},
    {"half", "half of the noise", "gaussian", 1, 2, 10000, 300},
    {"half", "half of the noise", "gaussian", 2, 2, 3000, 1000},
    {"half", "half of the noise", "gaussian", 4, 2, 1000, 1000},
    {"root2", "variance for standard deviation", "gaussian", 0.5, std::sqrt(2), 100000, 10},
    {"root2", "variance for standard deviation", "gaussian", 1, std::sqrt(2), 30000, 30},
    {"root2", "variance for standard deviation", "gaussian", 2, std::sqrt(2), 10000, 100},
    {"root2", "variance for standard deviation", "gaussian", 4, std::sqrt(2), 3000, 300},
    {"tenth", "10 % too little", "gaussian", 0.5, 1 / 0.9, 3000000, 1},
    {"tenth", "10 % too little", "gaussian", 1, 1 / 0.9, 1000000, 2},
    {"tenth", "10 % too little", "gaussian", 2, 1 / 0.9, 300000, 5},
    {"tenth", "10 % too little", "gaussian", 4, 1 / 0.9, 100000, 15},
    {"pure", "epsilon doubled", "laplace", 1, 2, 3000, 300},
    {"pure", "epsilon 20 % larger", "laplace", 1, 1.2, 30000, 30},
    {"pure", "epsilon 10 % larger", "laplace", 1, 1.1, 100000, 10},
    {"pure", "epsilon 5 % larger", "laplace", 1, 1.05, 1000000, 3},
};

Subject weakened(const Cell& cell) {
  namespace gaussian = tacet::accounting::gaussian;
  const auto& attack = tacet::audit::find_audit(cell.release);
  const bool pure = cell.release == "laplace";
  const tacet::privacy::Guarantee claim{cell.epsilon, pure ? 0 : delta, neighbours};
  auto weak = claim;
  if (pure) {
    weak.epsilon *= cell.times;
  } else {
    const tacet::privacy::Delta at(delta);
    const double mu = gaussian::mu_for(tacet::privacy::Epsilon(cell.epsilon), at);
    weak.epsilon = gaussian::epsilon(cell.times * mu, at);
  }
  auto subject = tacet::audit::subject_of(attack, weak);
  subject.claim = claim;
  return subject;
}

/// Whether every audit of the cell found the fault.
bool audited(const Cell& cell, tacet::base::ThreadPool& threads) {
  const auto subject = weakened(cell);
  int found = 0;
  double weakest = std::numeric_limits<double>::infinity();
  for (int seed = 0; seed < cell.audits; ++seed) {
    const auto finding = tacet::audit::audit(
        subject, {.trials = cell.runs, .seed = static_cast<std::uint64_t>(seed)}, threads);
    found += finding.refuted ? 1 : 0;
    weakest = std::min(weakest, finding.epsilon_at_least);
  }
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.3f} |\n", cell.words, cell.release, cell.epsilon,
             cell.runs, cell.audits, found, weakest);
  std::fflush(stdout);
  return found == cell.audits;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> asked(arguments + 1, arguments + count);
  tacet::base::ThreadPool threads(2);
  bool all = true;
  for (const auto& cell : cells) {
    if (asked.empty() || std::ranges::find(asked, cell.fault) != asked.end()) {
      all = audited(cell, threads) && all;
    }
  }
  return all ? 0 : 1;
}
