#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::data {
namespace schema_cost_edits_test {

using privacy::Adjacency;
using privacy::Event;

constexpr auto apart = Adjacency::add_remove;
constexpr accounting::AccountOptions quick{.largest_log2_size = 12};

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return std::ldexp(static_cast<double>(bits_() >> 11), -53); }

 private:
  std::mt19937_64 bits_;
};

/// A schema as `tacet schema fit` writes it, in JSON.
nlohmann::json fitted(Random& random) {
  const double epsilon = 0.02 + 0.3 * random.uniform();
  const double delta = random.uniform() < 0.3 ? 0 : std::pow(10.0, -5 - 5 * random.uniform());
  const auto columns = static_cast<std::int64_t>(1 + random.uniform() * 6);
  const Event second = delta == 0 ? Event(privacy::PureDp{epsilon, apart})
                                  : Event(privacy::ApproximateDp{epsilon, delta, apart});
  const Event events =
      privacy::Repeated{columns, privacy::Composed{{privacy::PureDp{epsilon / 9, apart}, second}}};
  // What a fit of few columns states: sums.
  const auto sums = accounting::internal::basic_composition(events, apart);
  Schema schema;
  schema.columns = {{.name = "age", .rule = NumericColumn{.lower = 17, .upper = 90}}};
  schema.cost = SchemaCost{.id = "0123456789abcdef",
                           .unit = "record",
                           .events = events,
                           .guarantee = {sums->epsilon, sums->delta, apart},
                           .prg_slack = 1e-20,
                           .unprotected_reason = {}};
  return schema_to_json(schema);
}

/// Another event, or the same with other numbers.
std::string edited_events(const std::string& text, Random& random) {
  auto json = nlohmann::json::parse(text);
  auto& node = json["event"];
  auto& block = node["base"]["parts"][random.uniform() < 0.5 ? 0 : 1];
  const double choice = random.uniform();
  if (choice < 0.3) {
    block["epsilon"] = block["epsilon"].get<double>() * std::exp(3 * random.uniform() - 1);
  } else if (choice < 0.5) {
    node["count"] = 1 + static_cast<int>(random.uniform() * 40);
  } else if (choice < 0.7) {
    block["adjacency"] = random.uniform() < 0.5 ? "replace_one" : "zero_out";
  } else {
    block = nlohmann::json{{"kind", "gaussian"}, {"noise_multiplier", 1 + 20 * random.uniform()}};
  }
  return json.dump();
}

void edit(nlohmann::json& schema, Random& random) {
  auto& cost = schema["cost"];
  const double choice = random.uniform();
  if (choice < 0.25) {
    cost["epsilon"] = cost["epsilon"].get<double>() * std::exp(4 * random.uniform() - 3);
  } else if (choice < 0.5) {
    cost["delta"] = random.uniform() < 0.3 ? 0.0 : std::pow(10.0, -12 * random.uniform());
  } else if (choice < 0.6) {
    cost["adjacency"] = random.uniform() < 0.5 ? "replace_one" : "zero_out";
  } else if (choice < 0.7) {
    cost["unit"] = "patient";
    if (random.uniform() < 0.5) schema["unit"] = "patient";
  } else {
    cost["events"] = edited_events(cost["events"].get<std::string>(), random);
  }
}

/// The least that the fit and a run cost together, by the events alone: where the accountant's
/// interval begins. A record replaced is one removed and another added, which costs no less than
/// the first of both.
double least(const Event& fit, const Event& run, const privacy::Guarantee& whole) {
  const auto stated = whole.adjacency == Adjacency::replace_one ? apart : whole.adjacency;
  return accounting::epsilon_interval(privacy::Composed{{fit, run}}, stated,
                                      privacy::Delta(whole.delta), quick)
      .lower;
}

privacy::Receipt run_under(Adjacency adjacency, const std::string& unit) {
  privacy::Receipt receipt;
  receipt.algorithm = "gradient";
  receipt.calibration = "tight";
  receipt.events = privacy::Gaussian{4};
  const privacy::Delta delta(1e-6);
  receipt.guarantee = {accounting::epsilon_interval(receipt.events, adjacency, delta).upper, 1e-6,
                       adjacency};
  receipt.privacy_unit = unit;
  receipt.software_version = "0";
  return receipt;
}

struct Tally {
  int refused = 0;
  int stated = 0;
};

/// Uses the schema under one adjacency; what is stated must follow from its events.
void use(const Schema& schema, Adjacency adjacency, Tally& tally) {
  const auto run = run_under(adjacency, schema.unit.value_or("record"));
  privacy::Receipt whole;
  try {
    whole = with_schema_cost(schema, run);
  } catch (const base::Error&) {
    ++tally.refused;
    return;
  }
  ++tally.stated;
  const auto events = privacy::event_to_json(schema.cost->events);
  EXPECT_GE(whole.guarantee.epsilon,
            least(schema.cost->events, run.events, whole.guarantee) * (1 - 1e-9))
      << events;
  // What the cipher leaves of delta proves what is stated, which is hardly more than that, or the
  // sum that a ledger books for the fit and the run.
  const double proved =
      accounting::epsilon_interval(whole.events, adjacency,
                                   privacy::delta_left(whole.guarantee, whole.prg_slack))
          .upper;
  EXPECT_GE(whole.guarantee.epsilon, proved) << events;
  const double booked = cost_between(schema, adjacency).guarantee.epsilon + run.guarantee.epsilon;
  EXPECT_LE(whole.guarantee.epsilon, std::max(proved, booked) * (1 + 1e-6)) << events;
  EXPECT_EQ(whole.privacy_unit, schema.cost->unit);
  EXPECT_NO_THROW(check_carries_cost(schema, whole));
  if (adjacency == schema.cost->guarantee.adjacency) {
    EXPECT_EQ(whole.events, Event(privacy::Composed{{schema.cost->events, run.events}}));
  }
}

/// Edits `count` fitted schemas at random and uses what can still be read. The edits reach both
/// sides of every check.
void edit_and_use(int count) {
  Random random(20);
  Tally read;
  Tally used;
  for (int i = 0; i < count; ++i) {
    auto json = fitted(random);
    const int edits = 1 + static_cast<int>(random.uniform() * 2);
    for (int k = 0; k < edits; ++k) edit(json, random);
    Schema schema;
    try {
      schema = schema_from_json(json);
    } catch (const base::DataError&) {
      ++read.refused;
      continue;
    }
    ++read.stated;
    const auto& cost = *schema.cost;
    const privacy::Delta delta(cost.guarantee.delta);
    EXPECT_GE(
        cost.guarantee.epsilon,
        accounting::epsilon_interval(cost.events, cost.guarantee.adjacency, delta, quick).lower);
    use(schema, cost.guarantee.adjacency, used);
    if (cost.guarantee.adjacency == apart) use(schema, Adjacency::replace_one, used);
  }
  EXPECT_GT(read.refused, 3 * count / 10);
  EXPECT_GT(read.stated, 3 * count / 20);
  EXPECT_GT(used.stated, 3 * count / 10);
}

TEST(SchemaCostEdits, NeverLeadToAStatementBelowWhatTheEventsProve) { edit_and_use(20); }

TEST(SchemaCostEditsLong, TwoHundredNeverLeadToAStatementBelowWhatTheEventsProve) {
  edit_and_use(200);
}

}  // namespace schema_cost_edits_test
}  // namespace tacet::data
