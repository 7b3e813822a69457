// An audit of whole trainings by the ladder, in one dimension.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/localization/localization_run.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tests/support/carried_out.h"

namespace tacet::learn {
namespace ladder_audit_test {

data::Schema line() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  return schema;
}

// The worst pair of data sets, one record turned round: how often the result lies on one side
// bounds epsilon from below (exact bounds at 0.9999 each), and may not pass what is
// promised. A planted fault, a tenth of the noise, is caught by the same test.
TEST(LadderAuditLong, AuditOfTheLadderFindsNoMoreThanEpsilon) {
  data::Schema schema = line();
  constexpr std::int64_t rows = 6;
  constexpr double epsilon = 1;
  ParameterValues options{{"adjacency", privacy::Adjacency::replace_one},
                          {"method", "ladder"},
                          {"epsilon", epsilon},
                          {"delta", 0},
                          {"public-row-count", rows},
                          {"radius", 4}};
  options.set("phases", 3);
  const auto honest = plan_localization(schema, chain_options(options));
  auto faulty = honest;
  std::vector<privacy::Event> releases;
  for (double& level : faulty.noise_levels) {
    level *= 10;
    releases.push_back(
        mechanism::l2_laplace_event(privacy::Epsilon(level), common_options(options).adjacency));
  }
  faulty.events = privacy::Composed{std::move(releases)};
  faulty.guarantee.epsilon *= 10;
  const auto found = [&](const LocalizationPlan& plan, std::uint64_t runs) {
    std::vector<std::int64_t> counts;
    for (const double last : {1.0, -1.0}) {
      data::Dataset dataset(schema.shape());
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::vector<std::int16_t> row{2048};
        dataset.append_dense(row, i + 1 < rows ? 1.0 : last);
      }
      std::int64_t above = 0;
      for (std::uint64_t run = 0; run < runs; ++run) {
        const auto seed = run + (last > 0 ? 0 : runs);
        above += test::seeded_run<train_localization>(dataset, schema, plan, seed, 1)
                             .model.coefficients[0] > 1.0
                     ? 1
                     : 0;
      }
      counts.push_back(above);
    }
    const auto n = static_cast<std::int64_t>(runs);
    const audit::Seen one{counts[0], n};
    const audit::Seen other{counts[1], n};
    return audit::epsilon_refuted({one, other, one.complement(), other.complement()}, 0, 4e-4);
  };
  EXPECT_LE(found(honest, 1'000'000), epsilon);
  EXPECT_GT(found(faulty, 20000), epsilon);
}

}  // namespace ladder_audit_test
}  // namespace tacet::learn
