#include "tacet/optimize/sums/moment_sum.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/optimize/sums/score_sum.h"

namespace tacet::optimize {
namespace {

/// What a record adds to the sum, read off its raw row.
class MomentRecord {
 public:
  MomentRecord(const data::Schema& raw, std::int64_t columns, Moments moments)
      : places_(static_cast<std::size_t>(columns)) {
    for (const auto feature : data::numeric_features(raw)) {
      places_[feature] = {Part::number, scores_.size() / 2};
      scores_.resize(scores_.size() + 2);
    }
    numbers_ = scores_.size() / 2;
    if (moments.target) scores_.resize(scores_.size() + 2);
    pairs_ = scores_.size() / 2;
    if (moments.records_per_unit > 0) scores_.push_back(1);
    if (!moments.categories) return;
    const auto ranges = data::category_features(raw);
    max_ = std::ssize(ranges);
    for (const auto& [begin, end] : ranges) {
      for (auto column = begin; column < end; ++column) {
        places_[column] = {Part::category, static_cast<std::size_t>(categories_++)};
      }
    }
  }

  [[nodiscard]] std::int64_t terms() const { return std::ssize(scores_); }
  [[nodiscard]] Marks marks() const { return {.places = categories_, .max_per_record = max_}; }
  [[nodiscard]] std::span<const double> scores() const { return scores_; }
  [[nodiscard]] std::span<const std::size_t> marked() const { return marked_; }

  void read(const data::Dataset& records, std::int64_t row) {
    marked_.clear();
    for (std::size_t i = 0; i < pairs_; ++i) set_number(i, 0);
    // What stands for the label of a record without a target counts like any other.
    if (numbers_ < pairs_) set_number(numbers_, records.label(row));
    if (records.sparse()) {
      const auto sparse = records.sparse_row(row);
      for (std::size_t i = 0; i < sparse.columns.size(); ++i) {
        set(sparse.columns[i], sparse.values[i]);
      }
      return;
    }
    const auto dense = records.dense_row(row);
    for (std::size_t i = 0; i < dense.size(); ++i) set(i, dense[i]);
  }

 private:
  enum class Part { none, number, category };
  struct Place {
    Part part = Part::none;
    std::size_t index = 0;
  };

  void set_number(std::size_t number, double z) {
    scores_[2 * number] = (1 + z) / 2;  // within [0, 1], as the sum enforces
    scores_[2 * number + 1] = z * z;
  }

  void set(std::size_t column, std::int16_t value) {
    const auto& [part, index] = places_[column];
    constexpr double unit = 1.0 / data::Dataset::feature_scale;
    if (part == Part::number) set_number(index, value * unit);
    if (part == Part::category && value != 0) marked_.push_back(index);
  }

  std::vector<Place> places_;  // of the raw features
  std::size_t numbers_ = 0;    // of the record; the target's pair follows
  std::size_t pairs_ = 0;      // of both; 1 may follow, which counts the unit
  std::int64_t categories_ = 0;
  std::int64_t max_ = 0;
  std::vector<double> scores_;
  std::vector<std::size_t> marked_;
};

/// How many records of a record's unit take part.
class Sharing {
 public:
  Sharing(const data::Dataset& records, std::int64_t max_per_unit)
      : records_(records), max_per_unit_(max_per_unit), sizes_(records.spool()) {
    if (!records.has_units()) return;
    sizes_.resize(static_cast<std::size_t>(records.unit_count()), 0);
    for (std::int64_t row = 0; row < records.rows(); ++row) {
      const auto unit = records.unit_of(row);
      if (unit >= 0) ++sizes_[static_cast<std::size_t>(unit)];
    }
  }

  /// Of a record that takes part itself.
  [[nodiscard]] std::int64_t of(std::int64_t row) const {
    if (!records_.has_units()) return 1;
    return std::min(sizes_[static_cast<std::size_t>(records_.unit_of(row))], max_per_unit_);
  }

 private:
  const data::Dataset& records_;
  std::int64_t max_per_unit_;
  base::SpooledVector<std::int64_t> sizes_;  // records of each unit
};

ScoreSum empty_sum(const MomentRecord& record, int norm_bits) {
  return {record.terms(), norm_bits, ScoreOrigin::half, record.marks()};
}

ScoreSum summed(const data::Dataset& raw, const data::Schema& schema, int norm_bits,
                Moments moments) {
  if (raw.has_units() && moments.records_per_unit == 0) {
    throw base::InternalError("moments of single records were asked for, and they have units");
  }
  MomentRecord record(data::raw_schema(schema), raw.columns(), moments);
  auto sum = empty_sum(record, norm_bits);
  FirstOfUnits first(raw, moments.records_per_unit);
  const Sharing sharing(raw, moments.records_per_unit);
  for (std::int64_t row = 0; row < raw.rows(); ++row) {
    if (!first.takes_part(row)) continue;
    record.read(raw, row);
    sum.add(record.scores(), record.marked(), sharing.of(row));
  }
  return sum;
}

MomentRecord no_record(const data::Schema& schema, Moments moments) {
  const auto raw = data::raw_schema(schema);
  return {raw, raw.encoded_column_count(), moments};
}

}  // namespace

privacy::BoundedSum moment_sum(const data::Dataset& raw, const data::Schema& schema, int norm_bits,
                               Moments moments) {
  return summed(raw, schema, norm_bits, moments).take();
}

std::vector<std::int64_t> moment_integers(const data::Dataset& raw, const data::Schema& schema,
                                          int norm_bits, Moments moments) {
  return summed(raw, schema, norm_bits, moments).integers();
}

privacy::BoundedSum certified_moments(std::vector<std::int64_t> integers,
                                      const data::Schema& schema, int norm_bits, Moments moments) {
  if (std::ssize(integers) != moment_terms(schema, moments)) {
    throw base::InternalError("{} sums of {} moments", integers.size(),
                              moment_terms(schema, moments));
  }
  return empty_sum(no_record(schema, moments), norm_bits).certified(std::move(integers));
}

std::size_t place_of_count(const data::Schema& schema, Moments moments) {
  return 2 * (data::numeric_features(schema).size() + (moments.target ? 1 : 0));
}

std::int64_t moment_terms(const data::Schema& schema, Moments moments) {
  const auto record = no_record(schema, moments);
  return record.terms() + record.marks().places;
}

}  // namespace tacet::optimize
