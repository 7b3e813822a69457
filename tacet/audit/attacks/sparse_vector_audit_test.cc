// An audit of what the sparse vector technique shows: the index and the value, outcome by outcome.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace sparse_vector_audit_test {

using privacy::Adjacency;
using privacy::Epsilon;

/// What one run over two queries shows, values in steps of half a unit of the queries.
using Shown = std::pair<std::int64_t, std::int64_t>;

std::map<Shown, std::int64_t> audited(const std::vector<std::int64_t>& queries,
                                      const SparseVectorOptions& options, std::int64_t runs,
                                      std::uint64_t seed) {
  const auto adjacency = Adjacency::add_remove;
  test::Spender spender(seed, sparse_vector_event(options, adjacency), adjacency, runs);
  const auto scores = Scores::integers(queries, 1, Movement::any, adjacency);
  std::map<Shown, std::int64_t> seen;
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto found = release_sparse_vector(scores, options,
                                             {spender.next(), spender.source, spender.reservation})
                           .value()
                           .positives;
    const Shown shown =
        found.empty() ? Shown{-1, 0} : Shown{found[0].index, std::llround(*found[0].value)};
    ++seen[shown];
  }
  return seen;
}

/// The largest log ratio of the probabilities of one outcome that the counts prove, each bound at
/// 1e-10: with fewer than 100 outcomes in two directions, false alarms stay below 1e-7.
double proven_loss(const std::map<Shown, std::int64_t>& p, const std::map<Shown, std::int64_t>& q,
                   std::int64_t runs) {
  double worst = 0;
  for (const auto& [shown, count] : p) {
    const auto other = q.find(shown);
    worst =
        std::max(worst, audit::epsilon_refuted(
                            {count, runs}, {other == q.end() ? 0 : other->second, runs}, 0, 1e-10));
  }
  return worst;
}

void audit(std::int64_t runs) {
  const double selection = 2;
  const double value = 1.5;
  const SparseVectorOptions options{.threshold = 1,
                                    .max_positives = 1,
                                    .selection_epsilon = Epsilon(selection),
                                    .value_epsilon = Epsilon(value)};
  double largest = 0;
  std::uint64_t seed = 100;
  for (const auto& [left, right] :
       std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
           {{0, 1}, {1, 0}}, {{1, 1}, {0, 2}}}) {
    const auto p = audited(left, options, runs, seed++);
    const auto q = audited(right, options, runs, seed++);
    for (const double loss : {proven_loss(p, q, runs), proven_loss(q, p, runs)}) {
      EXPECT_LE(loss, selection + value);
      largest = std::max(largest, loss);
    }
  }
  // The audit sees something: most of the loss is there to be seen.
  EXPECT_GT(largest, 0.4 * (selection + value));
}

TEST(SparseVectorAudit, AnAuditOfWhatIsShownStaysWithinEpsilon) { audit(20000); }

TEST(SparseVectorAuditLong, AnAuditOfAMillionRunsStaysWithinEpsilon) { audit(1000000); }

}  // namespace sparse_vector_audit_test
}  // namespace tacet::mechanism
