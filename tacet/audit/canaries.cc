#include "tacet/audit/canaries.h"

#include <cmath>
#include <numeric>

#include "tacet/audit/inserted.h"
#include "tacet/base/error.h"

namespace tacet::audit {
namespace {

void check(const learn::Training& plan, std::int64_t count) {
  if (plan.guarantee.adjacency == privacy::Adjacency::replace_one) {
    throw base::UsageError(
        "canaries are records that are there or not, and `adjacency=replace_one` promises nothing "
        "of these; take `adjacency=add_remove`, or zero_out, and a method that has it");
  }
  if (plan.method == "inference") {
    throw base::UsageError(
        "a table of coefficients scores no records, so that none can be guessed; audit the method "
        "gradient, or take `audit.train`");
  }
  // A model of other columns than the records' could not score canaries, and that would be seen
  // only after the training was paid.
  const auto of_model = plan.schema.encoded_column_count();
  if (of_model != plan.reading_schema().encoded_column_count() || plan.schema.curves) {
    throw base::UsageError(
        "canaries cannot be scored where training makes columns anew or leaves some out; give "
        "`curves` none, `knots` none and `feature_selection` all");
  }
  const auto room = room_for_canaries(plan);
  if (count < 1 || count > room) {
    throw base::UsageError(
        "each canary has a column of its own, and the schema has {} of them: `canaries` must be 1 "
        "to {}, got {}",
        room, room, count);
  }
}

}  // namespace

std::int64_t room_for_canaries(const learn::Training& plan) {
  const auto& schema = plan.reading_schema();
  return schema.shape().columns - (schema.intercept ? 1 : 0);
}

void append_row(data::Dataset& records, const data::EncodedRow& row) {
  if (records.sparse()) {
    records.append(row);
    return;
  }
  std::vector<std::int16_t> values(static_cast<std::size_t>(records.columns()));
  for (std::size_t i = 0; i < row.columns.size(); ++i) values[row.columns[i]] = row.values[i];
  records.append_dense(values, row.label, row.unit);
}

Canaries::Canaries(const learn::Training& plan, std::int64_t count, data::RandomDraws& draws)
    : shape_(plan.reading_schema().shape()),
      adjacency_(plan.guarantee.adjacency),
      label_(shape_.labels.contains(-1) ? -1 : 0),
      units_(plan.privacy_unit != learn::single_record) {
  check(plan, count);
  for (std::int64_t i = 0; i < count; ++i) in_.push_back(draws.below(2) == 1);
}

data::EncodedRow Canaries::row(std::int64_t canary) const {
  constexpr double scale = data::Dataset::feature_scale;
  data::EncodedRow row;
  row.columns = {static_cast<std::uint32_t>(canary)};
  row.values = {static_cast<std::int16_t>(std::floor(scale * std::min(1.0, shape_.norm_bound)))};
  row.label = label_;
  return row;
}

void Canaries::insert(data::Dataset& records) const {
  for (std::int64_t i = 0; i < std::ssize(in_); ++i) {
    const bool in = in_[static_cast<std::size_t>(i)];
    if (!in && adjacency_ == privacy::Adjacency::add_remove) continue;
    auto one = row(i);
    if (!in) one.columns.clear();
    if (!in) one.values.clear();
    if (units_) one.unit = records.unit_count();
    append_row(records, one);
  }
}

Guesses Canaries::guess(const model::LinearModel& model, std::int64_t made) const {
  if (model.feature_count() != shape_.columns) {
    throw base::UsageError(
        "the model has {} columns and its records {}: canaries of columns that were left out or "
        "made anew cannot be scored; leave out `feature_selection` and give `knots` none",
        model.feature_count(), shape_.columns);
  }
  data::Dataset canaries(shape_);
  for (std::int64_t i = 0; i < std::ssize(in_); ++i) append_row(canaries, row(i));
  // Their one label is the least or the first: what speaks against it is the surprise.
  std::vector<double> surprises;
  std::vector<double> margins(static_cast<std::size_t>(model.output_count()));
  for (std::int64_t i = 0; i < canaries.rows(); ++i) {
    model::margins(model, canaries, i, margins);
    const double others = std::accumulate(margins.begin() + 1, margins.end(), 0.0);
    surprises.push_back(margins.size() == 1
                            ? margins[0]
                            : others / static_cast<double>(margins.size() - 1) - margins[0]);
  }
  return audit::guess(surprises, in_, made);
}

}  // namespace tacet::audit
