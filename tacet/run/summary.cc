#include "tacet/run/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/run/split_budget.h"

namespace tacet::run {
namespace {

using mechanism::SummaryCost;
using privacy::Adjacency;
using privacy::Epsilon;

// What an answer about ranks among thousands of points needs more than a count does.
constexpr double quartile_weight = 2;

/// Decimal steps, which people read. Between whole bounds of a small range (ages, grades) the grid
/// is coarse: where values are whole there is none between two of them, and each point there would
/// be as good an answer. What decimals lose by that is half a step, which is printed.
mechanism::Grid grid_of(const data::SummaryColumn& column) {
  const bool grades =
      std::trunc(column.lower) == column.lower && std::trunc(column.upper) == column.upper &&
      column.upper - column.lower >= 10 && column.upper - column.lower <= 200 && !column.log1p;
  const double min_points = grades ? 50 : 2000;
  const auto mapped = [&](double value) { return column.log1p ? std::log1p(value) : value; };
  const double lower = mapped(column.lower);
  const double upper = mapped(column.upper);
  const double step = std::pow(10, std::floor(std::log10((upper - lower) / min_points)));
  if (!(step >= 0x1p-40 * (upper - lower))) return {lower, upper};  // next to nothing wide
  return {lower, upper, step};
}

std::vector<double> log1p_of(const data::ColumnCounts& column) {
  auto values = column.numbers;
  std::ranges::transform(values, values.begin(), [](double x) { return std::log1p(x); });
  return values;
}

/// The number of records is public between neighbours that have equally many; that of units is not
/// declared anywhere.
bool counts_records(Adjacency adjacency, bool units) {
  return adjacency == Adjacency::add_remove || units;
}

SummaryAnswers answers_about(const std::vector<data::SummaryColumn>& columns, Adjacency adjacency,
                             bool units) {
  return {.columns = static_cast<std::int64_t>(columns.size()),
          .numeric_columns = std::ranges::count_if(columns, &data::SummaryColumn::numeric),
          .counts_records = counts_records(adjacency, units)};
}

}  // namespace

privacy::Event SummaryAnswers::event(const SummaryCost& counts_cost,
                                     const SummaryCost& quartile_cost) const {
  privacy::Event all = privacy::Repeated{counts(), counts_cost.counts_event()};
  if (quartiles() == 0) return all;
  return privacy::Composed{
      {std::move(all), privacy::Repeated{quartiles(), quartile_cost.quartile_event()}}};
}

SummaryPlan plan_summary(const SummaryRequest& request) {
  const auto& schema = request.schema;
  auto columns = data::summary_columns(schema);
  if (columns.empty()) throw base::UsageError("the schema reads no column");
  const auto answers = answers_about(columns, request.asked.adjacency, schema.unit.has_value());
  std::vector<std::optional<mechanism::Grid>> grids;
  for (const auto& column : columns) {
    grids.emplace_back();
    if (column.numeric) grids.back() = grid_of(column);
  }
  const auto cost = [&](double epsilon) {
    return SummaryCost{Epsilon(epsilon), request.asked.adjacency, request.max_records_per_unit};
  };
  const auto events = [&](double epsilon) {
    return answers.event(cost(epsilon), cost(quartile_weight * epsilon));
  };
  const std::int64_t leaves = answers.counts() + answers.quartiles() + (schema.unit ? 1 : 0);
  const double prg_slack = random::prg_slack_of(leaves, random::max_block_words);
  const double each =
      largest_share({.event = events,
                     .parts = static_cast<double>(answers.counts()) +
                              quartile_weight * static_cast<double>(answers.quartiles()),
                     .asked = request.asked,
                     .left = privacy::delta_left(request.asked, prg_slack)});
  cost(each).check();  // before anything is booked
  SummaryPlan plan{.columns = std::move(columns),
                   .grids = std::move(grids),
                   .counts = cost(each),
                   .quartile = cost(quartile_weight * each),
                   .answers = answers,
                   .privacy_unit = schema.unit.value_or("record"),
                   .events = events(each),
                   .prg_slack = prg_slack};
  plan.guarantee = accounting::stated_guarantee(plan.events, request.asked, prg_slack);
  if (!(plan.guarantee.epsilon <= request.asked.epsilon)) {
    throw base::InternalError("the answers of a summary cost more than their shares");
  }
  return plan;
}

data::TableCounts read_for_summary(const SummaryRequest& request, const data::RecordSource& records,
                                   random::Source& source, const base::CancelToken* cancel) {
  const auto& schema = request.schema;
  if (!schema.unit) return data::read_counts(records, schema, cancel);
  data::UnitSample sample({records, schema.missing}, {*schema.unit, request.max_records_per_unit},
                          source.claim(random::Purpose::sampling, 0, 0), cancel);
  return data::read_counts(records, schema, cancel, &sample);
}

privacy::Receipt summary_receipt(const SummaryRequest& request, const SummaryPlan& plan,
                                 const random::Source& source) {
  privacy::Receipt receipt;
  receipt.algorithm = "summary of a table";
  receipt.calibration = "tight";
  nlohmann::ordered_json parameters{{"columns", plan.answers.columns},
                                    {"numeric_columns", plan.answers.numeric_columns},
                                    {"epsilon_of_counts", plan.counts.epsilon.value()},
                                    {"epsilon_of_a_quartile", plan.quartile.epsilon.value()},
                                    {"values_changed", plan.counts.changes()}};
  if (request.schema.unit) parameters["max_records_per_unit"] = request.max_records_per_unit;
  receipt.parameters = parameters.dump();
  receipt.events = plan.events;
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = plan.privacy_unit;
  receipt.public_row_count = request.schema.public_row_count;
  receipt.software_version = base::version;
  receipt.prg_slack = plan.prg_slack;
  if (!source.secure()) {
    receipt.randomness = privacy::Randomness::seeded;
    receipt.unprotected_reason = "seeded noise; for tests and experiments only";
  }
  return data::with_schema_cost(request.schema, privacy::checked(receipt));
}

privacy::Event recorded_summary(const privacy::Receipt& receipt,
                                learn::RecordedParameters& parameters,
                                const privacy::Event& /*own*/) {
  learn::expect_plain_release(receipt);
  const bool units = receipt.privacy_unit != "record";
  const auto adjacency = receipt.guarantee.adjacency;
  const auto cost = [&](const char* name) {
    return SummaryCost{Epsilon(parameters.real(name)), adjacency,
                       units ? parameters.count("max_records_per_unit") : 1};
  };
  const auto counts = cost("epsilon_of_counts");
  const auto quartile = cost("epsilon_of_a_quartile");
  // The noise's scale is values_changed over epsilon: made for fewer, it does not protect more.
  if (parameters.count("values_changed") != counts.changes()) {
    throw base::DataError(
        "the noise is made for {} changed values of a column, but under {} "
        "neighbours change {}",
        parameters.count("values_changed"), to_string(adjacency), counts.changes());
  }
  const SummaryAnswers answers{.columns = parameters.count("columns"),
                               .numeric_columns = parameters.count("numeric_columns"),
                               .counts_records = counts_records(adjacency, units)};
  constexpr std::int64_t max = std::int64_t{1} << 32;  // more than any schema has
  if (answers.columns < 1 || answers.columns > max || answers.numeric_columns < 0 ||
      answers.numeric_columns > answers.columns) {
    throw base::DataError("a summary has 1 to {} columns, and no more numeric ones", max);
  }
  return answers.event(counts, quartile);
}

double Summary::share(std::size_t column, std::size_t kind) const {
  if (records <= 0) return 0;
  const auto count = static_cast<double>(columns[column].counts[kind]);
  return std::clamp(count / static_cast<double>(records), 0.0, 1.0);
}

Summary summarise(const SummaryRequest& request, const SummaryPlan& plan,
                  const data::TableCounts& counts, const SummaryTools& tools) {
  const auto noisy_counts = [&](const privacy::Private<std::vector<std::int64_t>>& exact,
                                std::size_t step) {
    return mechanism::release_counts(exact, plan.counts,
                                     {{.step = step, .tensor = 0}, tools.source, tools.reservation})
        .value();
  };
  if (!plan.answers.counts_records && request.schema.public_row_count) {
    learn::check_declared_count(mechanism::public_count(counts.records, request.asked.adjacency),
                                *request.schema.public_row_count, tools.reservation);
  }
  Summary summary;
  summary.records =
      plan.answers.counts_records
          ? std::max<std::int64_t>(noisy_counts(counts.records, plan.columns.size()).front(), 0)
          : mechanism::public_count(counts.records, request.asked.adjacency);
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    if (tools.cancel != nullptr) tools.cancel->throw_if_cancelled();
    const auto& column = plan.columns[k];
    ColumnSummary found{
        .counts = noisy_counts(counts.columns[k].map([](const auto& c) { return c.counts; }), k)};
    if (column.numeric) {
      const auto& private_counts = counts.columns[k];
      const auto numbers =
          column.log1p ? private_counts.map([](const data::ColumnCounts& c) { return log1p_of(c); })
                       : private_counts.map([](const data::ColumnCounts& c) { return c.numbers; });
      auto quartiles =
          mechanism::release_quartiles(numbers, *plan.grids[k], plan.quartile,
                                       {{.step = k, .tensor = 1}, tools.source, tools.reservation})
              .value();
      for (auto& value : quartiles) {
        if (column.log1p) value = std::expm1(value);
        value = std::clamp(value, column.lower, column.upper);
      }
      found.quartiles = quartiles;
    }
    summary.columns.push_back(std::move(found));
  }
  if (tools.source.prg_slack() > plan.prg_slack) {
    throw base::InternalError("the summary drew more noise than was planned for it");
  }
  return summary;
}

}  // namespace tacet::run
