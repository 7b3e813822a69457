#include "tacet/audit/training_audit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacet/audit/canaries.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/feature_names.h"
#include "tacet/data/words/random_draws.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::audit {
namespace {

using privacy::Adjacency;

/// Records of one kind, canaries, and what stands in their place on the other side.
struct Rows {
  data::EncodedRow usual;
  data::EncodedRow canary;
  data::EncodedRow instead;
  data::EncodedRow nothing;
};

/// A row with the largest possible first feature, and the intercept if the norm leaves room for it.
data::EncodedRow longest_row(const data::Schema& schema, const data::DatasetShape& shape) {
  constexpr double scale = data::Dataset::feature_scale;
  data::EncodedRow row;
  double room = shape.norm_bound * shape.norm_bound;
  const auto add = [&](std::int64_t column) {
    const auto value = std::floor(scale * std::min(1.0, std::sqrt(std::max(0.0, room))));
    if (value < 1) return;
    row.columns.push_back(static_cast<std::uint32_t>(column));
    row.values.push_back(static_cast<std::int16_t>(value));
    room -= value * value / (scale * scale);
  };
  add(0);
  if (schema.intercept && shape.columns > 1) add(shape.columns - 1);
  return row;
}

Rows rows_of(const data::Schema& schema, const data::DatasetShape& shape, double others) {
  if (!schema.target) throw base::UsageError("the schema has no target to train for");
  Rows rows;
  rows.instead = longest_row(schema, shape);
  rows.instead.label = 1;
  rows.usual = rows.instead;
  for (auto& value : rows.usual.values) {
    value = static_cast<std::int16_t>(std::floor(others * value));
  }
  rows.canary = rows.instead;
  rows.canary.label = shape.labels.contains(-1) ? -1 : 0;
  rows.nothing.label = rows.usual.label;
  return rows;
}

void append(data::Dataset& records, data::EncodedRow row, std::int64_t unit) {
  row.unit = unit;
  append_row(records, row);
}

std::int64_t records_of_unit(const learn::Training& plan) {
  for (const auto& setting : plan.settings) {
    const auto* number = std::get_if<std::int64_t>(&setting.value);
    if (setting.name == "max_records_per_unit" && number != nullptr) return *number;
  }
  return 1;
}

std::int64_t record_count(const learn::Training& plan) {
  return plan.public_row_count > 0 ? plan.public_row_count : few_records;
}

/// The records of one side, with the canary before the record of that number.
data::Dataset records_of(const learn::Training& plan, double size, bool other, std::int64_t place) {
  const auto& schema = plan.reading_schema();
  const auto shape = schema.shape();
  const auto rows = rows_of(schema, shape, size);
  data::Dataset records(shape);
  const bool units = plan.privacy_unit != learn::single_record;
  if (units) records.declare_units();
  const auto adjacency = plan.guarantee.adjacency;
  const auto canaries = std::min(records_of_unit(plan), record_count(plan) - 1);
  const auto others = record_count(plan) - canaries;
  const auto& canary = other                              ? rows.canary
                       : adjacency == Adjacency::zero_out ? rows.nothing
                                                          : rows.instead;
  std::int64_t unit = 0;
  for (std::int64_t i = 0; i <= others; ++i) {
    const bool there = other || adjacency != Adjacency::add_remove;
    if (i == place && there) {
      for (std::int64_t k = 0; k < canaries; ++k) append(records, canary, unit);
      if (units) ++unit;
    }
    if (i < others) append(records, rows.usual, unit);
    if (units) ++unit;
  }
  return records;
}

std::string pair_of(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_remove:
      return "records that are all alike, and one more with the other label";
    case Adjacency::zero_out:
      return "records that are all alike, one of which contributes nothing or has the other label";
    case Adjacency::replace_one:
      return "records that are all alike, one of which has the same label or the other one";
  }
  throw base::InternalError("an unknown adjacency");
}

/// Outcomes of Gaussian noise alone, for which error rates convert to a mu; samples and steps that
/// depend on each other have trade-off curves instead.
bool is_gaussian(const privacy::Event& event) {
  if (event.as<privacy::Gaussian>() != nullptr) return true;
  const auto* repeated = event.as<privacy::Repeated>();
  return repeated != nullptr && is_gaussian(*repeated->base);
}

struct Both {
  data::Dataset one;
  data::Dataset other;
};

/// A model of columns that were chosen has its numbers in the places of all columns, which stay the
/// same from run to run.
std::vector<double> in_places_of_all(const learn::TrainedModel& trained) {
  const auto& kept = trained.schema.selected_columns;
  const auto& numbers = trained.model.coefficients;
  if (!kept) return numbers;
  auto all = trained.schema;
  all.selected_columns.reset();
  const auto names = data::feature_names(all);
  const auto& features = trained.model.features;
  std::vector<double> placed(names.size() * numbers.size() / features.size());
  std::size_t place = 0;
  for (std::size_t i = 0; i < features.size(); ++i, ++place) {
    while (place < names.size() && names[place] != features[i]) ++place;
    if (place == names.size()) throw base::InternalError("a column that the schema does not have");
    for (std::size_t k = 0; k * features.size() < numbers.size(); ++k) {
      placed[k * names.size() + place] = numbers[k * features.size() + i];
    }
  }
  return placed;
}

/// The first and the last ones, `max_numbers` in all.
std::vector<double> both_ends(std::span<const float> numbers) {
  const auto of_end = std::min<std::size_t>(numbers.size(), max_numbers / 2);
  std::vector<double> ends(max_numbers);
  std::ranges::copy(numbers.first(of_end), ends.begin());
  std::ranges::copy(numbers.last(of_end), ends.end() - static_cast<std::ptrdiff_t>(of_end));
  return ends;
}

/// What a model shows: of more than `max_numbers` the first and the last ones. The canary's columns
/// are the first one and the intercept. How many numbers a wide model has may be released too, and
/// they end with its dense part.
std::vector<double> numbers_of(const learn::TrainedModel& trained) {
  std::vector<double> numbers;
  if (trained.model.table) {
    for (const double number : trained.model.table->coefficients) {
      numbers.push_back(std::isnan(number) ? 0 : number);  // hidden by the noise
    }
  } else if (trained.model.wide) {
    return both_ends(trained.model.wide->numbers());
  } else {
    numbers = in_places_of_all(trained);
    if (trained.schema.curves) numbers.push_back(trained.model.offset);
  }
  if (std::ssize(numbers) > max_numbers) {
    numbers.erase(numbers.begin() + max_numbers / 2, numbers.end() - max_numbers / 2);
  }
  return numbers;
}

std::vector<double> trained(const learn::Training& plan, const data::Dataset& records,
                            std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  return numbers_of(plan.run(records, plan.schema, {source, reservation, threads}));
}

/// How far apart the coefficients of both sides are in some trainings, in standard deviations.
double apart(const learn::Training& plan, const Both& both) {
  constexpr int runs = 200;
  double max = 0;
  std::vector<double> sums[2];
  std::vector<double> squares[2];
  for (const bool other : {false, true}) {
    for (std::uint64_t run = 0; run < runs; ++run) {
      const auto shown = trained(plan, other ? both.other : both.one, 2 * run + (other ? 1 : 0));
      sums[other].resize(shown.size());
      squares[other].resize(shown.size());
      for (std::size_t j = 0; j < shown.size(); ++j) {
        sums[other][j] += shown[j] / runs;
        squares[other][j] += shown[j] * shown[j] / runs;
      }
    }
  }
  for (std::size_t j = 0; j < sums[0].size(); ++j) {
    const double variance =
        squares[0][j] - sums[0][j] * sums[0][j] + squares[1][j] - sums[1][j] * sums[1][j];
    max = std::max(max, std::fabs(sums[1][j] - sums[0][j]) / std::sqrt(std::max(variance, 1e-300)));
  }
  return max;
}

/// Methods that read records in a public order feel one place more than the others. Few are tried.
std::shared_ptr<const Both> farthest(const learn::Training& plan, double others,
                                     const base::Supervision& supervision) {
  constexpr std::int64_t max_places = 12;
  const auto at = [&](std::int64_t place) {
    return std::make_shared<const Both>(
        Both{records_of(plan, others, false, place), records_of(plan, others, true, place)});
  };
  const auto places = record_count(plan) - std::min(records_of_unit(plan), record_count(plan) - 1);
  auto best = at(places);
  if (places >= max_places || plan.guarantee.adjacency == Adjacency::add_remove) return best;
  supervision.step("places", 0, places);
  double furthest = apart(plan, *best);
  for (std::int64_t place = 0; place < places; ++place) {
    supervision.step("places", place, places);
    auto both = at(place);
    const double distance = apart(plan, *both);
    if (distance > furthest) best = std::move(both);
    furthest = std::max(furthest, distance);
  }
  return best;
}

}  // namespace

Subject training_subject(const learn::Training& plan, double others,
                         const base::Supervision& supervision) {
  if (plan.unprotected()) {
    throw base::UsageError("without noise nothing is claimed that could be refuted");
  }
  const auto both = farthest(plan, others, supervision);
  Subject subject;
  subject.pair =
      others == 1 ? pair_of(plan.guarantee.adjacency)
                  : "records that say little, and one that says much for a class or for the other";
  subject.statistic = Statistic::direction;
  subject.claim = plan.guarantee;
  subject.gaussian = is_gaussian(plan.events) && plan.guarantee.delta > 0;
  if (plan.guarantee.delta > 0 && !subject.gaussian) subject.event = plan.events;
  subject.width = trained(plan, both->one, 0).size();
  const auto* cancel = supervision.cancel;
  subject.draw = [plan, both, cancel](bool other, std::uint64_t seed, std::span<double> out) {
    while (!out.empty()) {
      if (cancel != nullptr) cancel->throw_if_cancelled();
      seed = data::RandomDraws::mixed(seed + 1);
      const auto shown = trained(plan, other ? both->other : both->one, seed);
      if (shown.size() > out.size()) throw base::InternalError("models of different sizes");
      std::ranges::copy(shown, out.begin());
      out = out.subspan(shown.size());
    }
  };
  return subject;
}

}  // namespace tacet::audit
