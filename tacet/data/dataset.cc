#include "tacet/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/data/rewritten.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::data {
namespace {

constexpr std::int64_t target_block_values = 1 << 20;  // 2 MiB of int16 a block

std::int64_t square(std::int16_t value) { return std::int64_t{value} * value; }

void check_value(std::int16_t value) {
  if (value > Dataset::feature_scale || value < -Dataset::feature_scale) {
    throw base::InternalError("an encoded feature lies outside [-1, 1]");
  }
}

struct Choice {
  std::uint64_t seen = 0;
  std::int64_t row = 0;
};

}  // namespace

bool LabelDomain::contains(double label) const {
  if (kind_ == Kind::finite) return std::isfinite(label);
  if (!(label >= lower_ && label <= upper_)) return false;
  if (kind_ == Kind::signs) return label == lower_ || label == upper_;
  return kind_ != Kind::classes || label == std::floor(label);
}

std::string LabelDomain::in_words() const {
  switch (kind_) {
    case Kind::finite:
      return "any finite number";
    case Kind::signs:
      return "-1 or +1";
    case Kind::classes:
      return fmt::format("a whole number from {} to {}", lower_, upper_);
    case Kind::interval:
      return lower_ == upper_ ? fmt::format("{}", lower_)
                              : fmt::format("in [{}, {}]", lower_, upper_);
  }
  throw base::InternalError("an unknown kind of labels");
}

Dataset::Dataset(const DatasetShape& shape, std::shared_ptr<base::Spool> spool)
    : shape_(shape),
      spool_(std::move(spool)),
      odd_places_(spool_),
      odd_rows_(spool_),
      places_(spool_),
      labels_(spool_),
      unlabelled_(spool_),
      squared_norms_(spool_),
      units_(spool_) {
  constexpr std::int64_t max_columns = std::numeric_limits<std::uint32_t>::max();
  if (shape.columns < 1 || shape.columns > max_columns) {
    throw base::UsageError("a data set needs 1 to {} encoded columns, got {}", max_columns,
                           shape.columns);
  }
  // 2^15 keeps a squared norm below 2^53, so that integer sums in doubles stay exact.
  constexpr double largest_bound = 32768;
  if (!(shape.norm_bound > 0) || shape.norm_bound > largest_bound) {
    throw base::UsageError("the row norm's bound must be in (0, {}], got {}", largest_bound,
                           shape.norm_bound);
  }
  const double scaled = feature_scale * shape.norm_bound;
  squared_norm_bound_ = static_cast<std::int64_t>(std::floor(scaled * scaled));
  // Rounding up by half a unit in the last place would accept a row above the real bound.
  while (std::sqrt(static_cast<double>(squared_norm_bound_)) > scaled) --squared_norm_bound_;
  stored_width_ = static_cast<std::size_t>(shape.columns);
  if (!shape.hats.empty()) {
    if (sparse()) throw base::InternalError("sparse rows are not packed");
    packing_ = std::make_shared<const HatRows>(shape.hats, shape.columns);
    stored_width_ = packing_->numbers().words();
  }
  const auto rows_per_block =
      std::max<std::int64_t>(1, target_block_values / static_cast<std::int64_t>(stored_width_));
  dense_shift_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows_per_block))) - 1;
}

void Dataset::declare_units() {
  if (rows() != 0) throw base::InternalError("units must be declared before the first record");
  has_units_ = true;
}

void Dataset::append_facts(const RecordFacts& facts) {
  const auto& [label, unit, squared_norm, labelled] = facts;
  if (!labelled && squared_norm != 0) {
    throw base::InternalError("a record without a target has features");
  }
  // Packed rows are certified together with their scale.
  if (!packing_ && squared_norm > squared_norm_bound_) {
    throw base::InternalError("an encoded row exceeds the bound of its norm");
  }
  if (has_units_) {
    if (unit < no_unit || unit > unit_count_) {
      throw base::InternalError("privacy units must be numbered by first appearance");
    }
    unit_count_ = std::max(unit_count_, unit + 1);
    units_.push_back(unit);
  }
  if (!labelled) unlabelled_.push_back(rows());
  labels_.push_back(label);
  squared_norms_.push_back(squared_norm);
}

std::int16_t* Dataset::new_stored_row() {
  const auto row = static_cast<std::size_t>(rows());
  const auto width = stored_width_;
  const std::size_t spare = packing_ ? numeric::HatNumbers::spare_words : 0;
  const std::size_t mask = (std::size_t{1} << dense_shift_) - 1;
  if ((row >> dense_shift_) >= dense_blocks_.size()) {
    dense_blocks_.emplace_back(spool_);
    if (dense_blocks_.size() > 1) dense_blocks_.back().reserve((mask + 1) * width + spare);
  }
  auto& block = dense_blocks_.back();
  block.resize(((row & mask) + 1) * width + spare, 0);
  return block.data() + (row & mask) * width;
}

std::span<std::int16_t> Dataset::new_odd_row() {
  odd_places_.push_back(rows());
  odd_rows_.resize(odd_rows_.size() + static_cast<std::size_t>(columns()), 0);
  return std::span(odd_rows_).last(static_cast<std::size_t>(columns()));
}

std::int64_t Dataset::append_packed(const EncodedRow& row, std::int64_t squared_norm) {
  const auto packed = packing_->pack(row, squared_norm_bound_, new_stored_row());
  if (packed) return *packed;
  const auto odd = new_odd_row();
  for (std::size_t k = 0; k < row.values.size(); ++k) odd[row.columns[k]] = row.values[k];
  return squared_norm;
}

void Dataset::append_sparse(std::span<const std::uint32_t> columns,
                            std::span<const std::int16_t> values) {
  const bool fits =
      !sparse_blocks_.empty() &&
      sparse_blocks_.back().values.size() + values.size() <= std::size_t{target_block_values};
  if (!fits) {
    sparse_blocks_.emplace_back(spool_);
    if (sparse_blocks_.size() > 1) {
      const std::size_t capacity = std::max<std::size_t>(target_block_values, values.size());
      sparse_blocks_.back().columns.reserve(capacity);
      sparse_blocks_.back().values.reserve(capacity);
    }
  }
  auto& block = sparse_blocks_.back();
  places_.push_back({.block = base::checked_cast<std::uint32_t>(sparse_blocks_.size() - 1),
                     .offset = base::checked_cast<std::uint32_t>(block.values.size()),
                     .length = base::checked_cast<std::uint32_t>(values.size())});
  block.columns.insert(block.columns.end(), columns.begin(), columns.end());
  block.values.insert(block.values.end(), values.begin(), values.end());
}

void Dataset::append(const EncodedRow& row) {
  if (!shape_.labels.contains(row.label)) {
    throw base::UsageError(
        "a record's label lies outside of its domain: each must be {}; labels of files and of "
        "other programs become that by an encoder (UniformEncoder, LabelEncoder)",
        shape_.labels.in_words());
  }
  if (row.columns.size() != row.values.size()) {
    throw base::InternalError("an encoded row has as many columns as values");
  }
  std::int64_t squared_norm = 0;
  std::int64_t previous = -1;
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    check_value(row.values[k]);
    if (row.columns[k] <= previous || row.columns[k] >= shape_.columns || row.values[k] == 0) {
      throw base::InternalError("an encoded row lists its non-zero columns in ascending order");
    }
    previous = row.columns[k];
    squared_norm += square(row.values[k]);
  }
  if (squared_norm > squared_norm_bound_) {
    throw base::InternalError("an encoded row exceeds the bound of its norm");
  }
  if (sparse()) {
    append_sparse(row.columns, row.values);
  } else if (packing_) {
    squared_norm = append_packed(row, squared_norm);
  } else {
    std::int16_t* destination = new_stored_row();
    for (std::size_t k = 0; k < row.values.size(); ++k) destination[row.columns[k]] = row.values[k];
  }
  append_facts({row.label, row.unit, squared_norm, row.labelled});
}

void Dataset::check_same_shape(const Dataset& other) const {
  if (other.columns() != columns() || other.sparse() != sparse() ||
      other.squared_norm_bound_ != squared_norm_bound_ || other.shape_.labels != shape_.labels ||
      other.shape_.hats != shape_.hats) {
    throw base::InternalError("records of another shape cannot be appended");
  }
}

void Dataset::append_stored(const Dataset& other, std::int64_t row) {
  if (sparse()) {
    const SparseRow entries = other.sparse_row(row);
    return append_sparse(entries.columns, entries.values);
  }
  std::ranges::copy(other.stored_row(row), new_stored_row());
  const auto odd = other.odd_row(row);
  if (!odd.empty()) std::ranges::copy(odd, new_odd_row().begin());
}

void Dataset::append(const Dataset& other, std::int64_t row, std::int64_t unit) {
  check_same_shape(other);
  append_stored(other, row);
  append_facts({other.label(row), unit, other.squared_norm(row), other.labelled(row)});
}

void Dataset::append(const Dataset& other, std::span<const std::int64_t> units) {
  check_same_shape(other);
  if (other.has_units_ != has_units_) {
    throw base::InternalError("records with units cannot be appended to records without, or back");
  }
  for (std::int64_t k = 0; k < other.rows(); ++k) {
    append_stored(other, k);
    const std::int64_t unit = has_units_ ? other.units_[k] : 0;
    append_facts({other.label(k),
                  unit < 0 || !has_units_ ? unit : units[static_cast<std::size_t>(unit)],
                  other.squared_norm(k), other.labelled(k)});
  }
}

void Dataset::append_dense(std::span<const std::int16_t> values, double label, std::int64_t unit) {
  if (static_cast<std::int64_t>(values.size()) != shape_.columns) {
    throw base::InternalError("a dense row has one value a column");
  }
  EncodedRow row;
  row.label = label;
  row.unit = unit;
  for (std::size_t column = 0; column < values.size(); ++column) {
    if (values[column] == 0) continue;
    row.columns.push_back(static_cast<std::uint32_t>(column));
    row.values.push_back(values[column]);
  }
  append(row);
}

std::span<const std::int16_t> Dataset::dense_row(std::int64_t row) const {
  if (packing_) throw base::InternalError("a packed row was read as if it were stored");
  return stored_row(row);
}

std::span<const std::int16_t> Dataset::dense_row(std::int64_t row,
                                                 std::vector<std::int16_t>& room) const {
  if (!packing_) return stored_row(row);
  const auto odd = odd_row(row);
  if (!odd.empty()) return odd;
  room.resize(static_cast<std::size_t>(columns()));
  packing_->expand(packed_row(row), room);
  return room;
}

std::span<const std::int16_t> Dataset::odd_row(std::int64_t row) const {
  if (odd_places_.empty()) return {};
  const auto found = std::ranges::lower_bound(odd_places_, row);
  if (found == odd_places_.end() || *found != row) return {};
  const auto width = static_cast<std::size_t>(columns());
  return std::span(odd_rows_).subspan(static_cast<std::size_t>(found - odd_places_.begin()) * width,
                                      width);
}

double Dataset::scale(std::int64_t row) const {
  if (!packing_ || !odd_row(row).empty()) return 1;
  return double{packing_->numbers().scale(packed_row(row))};
}

std::span<const std::int16_t> Dataset::stored_row(std::int64_t row) const {
  const auto place = static_cast<std::size_t>(row);
  const auto width = stored_width_;
  const std::size_t mask = (std::size_t{1} << dense_shift_) - 1;
  return {dense_blocks_[place >> dense_shift_].data() + (place & mask) * width, width};
}

void Dataset::forget_before(std::int64_t row) {
  if (row >= rows()) row = rows() - 1;  // beyond the end, the last block stays and is named
  if (row <= 0) return;
  const std::size_t end =
      sparse() ? places_[row].block : static_cast<std::size_t>(row) >> dense_shift_;
  for (; forgotten_ < end; ++forgotten_) {
    if (sparse()) {
      sparse_blocks_[forgotten_] = SparseBlock(spool_);
    } else {
      base::SpooledVector<std::int16_t>().swap(dense_blocks_[forgotten_]);
    }
  }
  if (sparse()) places_.forget_before(row);
  labels_.forget_before(row);
  squared_norms_.forget_before(row);
  if (has_units_) units_.forget_before(row);
}

std::int64_t Dataset::memory_bytes() const {
  std::size_t total = 0;
  for (const auto& block : dense_blocks_) total += block.capacity() * sizeof(std::int16_t);
  for (const auto& block : sparse_blocks_) {
    total += block.columns.capacity() * sizeof(std::uint32_t) +
             block.values.capacity() * sizeof(std::int16_t);
  }
  return static_cast<std::int64_t>(total) + places_.memory_bytes() + labels_.memory_bytes() +
         squared_norms_.memory_bytes() + units_.memory_bytes() +
         static_cast<std::int64_t>(unlabelled_.capacity() * sizeof(std::int64_t)) +
         static_cast<std::int64_t>(odd_places_.capacity() * sizeof(std::int64_t) +
                                   odd_rows_.capacity() * sizeof(std::int16_t));
}

Dataset unpacked(const Dataset& dataset) {
  auto shape = dataset.shape();
  shape.hats.clear();
  return rewritten(dataset, shape,
                   [room = std::vector<std::int16_t>()](const Dataset& from, std::int64_t row,
                                                        EncodedRow& out) mutable {
                     const auto values = from.dense_row(row, room);
                     for (std::size_t k = 0; k < values.size(); ++k) {
                       if (values[k] == 0) continue;
                       out.columns.push_back(static_cast<std::uint32_t>(k));
                       out.values.push_back(values[k]);
                     }
                   });
}

Dataset one_record_per_unit(const Dataset& dataset, random::BlockClaim draws) {
  if (!dataset.has_units()) throw base::InternalError("a record of each unit, but there are none");
  random::Stream stream(std::move(draws));
  std::vector<Choice> choices(static_cast<std::size_t>(dataset.unit_count()));
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    const auto unit = dataset.unit_of(row);
    if (unit == Dataset::no_unit) continue;
    // The newest of m records replaces the choice with probability 1/m (Vitter 1985, algorithm R).
    auto& choice = choices[static_cast<std::size_t>(unit)];
    if (random::uniform_below(stream, ++choice.seen) == 0) choice.row = row;
  }
  Dataset drawn(dataset.shape(), dataset.spool());
  for (const auto& choice : choices) drawn.append(dataset, choice.row, 0);
  return drawn;
}

}  // namespace tacet::data
