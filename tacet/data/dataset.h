#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/spool.h"
#include "tacet/data/block_vector.h"
#include "tacet/data/hat_rows.h"
#include "tacet/random/source/source.h"

namespace tacet::data {

/// One encoded record: the non-zero features by ascending column, in units of
/// 1/Dataset::feature_scale, and the label.
struct EncodedRow {
  std::vector<std::uint32_t> columns;
  std::vector<std::int16_t> values;
  double label = 0;
  std::int64_t unit = 0;  ///< which privacy unit the record belongs to; 0 when there is none
  bool labelled = true;   ///< false: it has no target, no feature, and teaches nothing
  /// What packing needs (hat_rows.h), of whoever scales rows that are packed: the features before
  /// they were scaled and rounded, and the units of the row in a feature of 1.
  std::vector<std::uint32_t> plain_columns;
  std::vector<double> plain_values;
  double scale = 0;

  void clear() {
    scale = 0;
    plain_columns.clear();
    plain_values.clear();
    columns.clear();
    values.clear();
    label = 0;
    unit = 0;
    labelled = true;
  }
  /// Without a label the row loses its features, and one fixed label stands for its own.
  void set_label(std::optional<double> found, double without_target) {
    labelled = found.has_value();
    label = found.value_or(without_target);
    if (labelled) return;
    columns.clear();
    values.clear();
  }
};

/// A view of one sparse record. Columns ascend strictly; no value is zero.
struct SparseRow {
  std::span<const std::uint32_t> columns;
  std::span<const std::int16_t> values;
};

enum class Storage { dense, sparse };

/// Which labels records may have. Losses are bounded on these alone: one outside would make a bound
/// false, or a wrong model.
class LabelDomain {
 public:
  /// Any finite number: for sums whose bounds do not depend on it. No training takes it.
  constexpr LabelDomain() = default;
  /// Records without labels, as for predictions: 0 in all of them.
  [[nodiscard]] static constexpr LabelDomain none() { return {Kind::interval, 0, 0}; }
  /// -1 or +1.
  [[nodiscard]] static constexpr LabelDomain signs() { return {Kind::signs, -1, 1}; }
  /// 0, 1, .. count-1.
  [[nodiscard]] static constexpr LabelDomain classes(std::int64_t count) {
    return {Kind::classes, 0, static_cast<double>(count - 1)};
  }
  [[nodiscard]] static constexpr LabelDomain interval(double lower, double upper) {
    return {Kind::interval, lower, upper};
  }

  [[nodiscard]] bool contains(double label) const;
  /// "-1 or +1", "0, 1, .. 2", "in [-1, 1]".
  [[nodiscard]] std::string in_words() const;

  friend bool operator==(const LabelDomain&, const LabelDomain&) = default;

 private:
  enum class Kind { finite, signs, classes, interval };
  constexpr LabelDomain(Kind kind, double lower, double upper)
      : kind_(kind), lower_(lower), upper_(upper) {}

  Kind kind_ = Kind::finite;
  double lower_ = 0;
  double upper_ = 0;
};

/// What is public about a data set before a value of it is read.
struct DatasetShape {
  std::int64_t columns = 0;  ///< encoded columns, intercept included
  double norm_bound = 1;     ///< of each row's Euclidean norm in real units, intercept included
  Storage storage = Storage::dense;
  LabelDomain labels = {};
  /// Numbers that rows hold as a position between two knots (hat_rows.h), where storage is dense:
  /// in a fraction of the memory. Ascending; those that do not pack stay as they are.
  std::vector<HatColumns> hats = {};
};

/// Encoded private records: small integers whose norms were certified when they were appended.
/// Several threads may read one; nobody else may use it while it is changed.
///
/// The records are private. There is no printing and no serialisation; only mechanisms may turn
/// sums over them into something released. `rows()` is private too wherever the adjacency lets a
/// record be added or removed.
class Dataset {
 public:
  /// A stored feature v means v / feature_scale; |v| <= feature_scale.
  static constexpr int feature_scale = 2048;
  /// The unit of a record whose unit is missing. It takes no part in sums that bound units.
  static constexpr std::int64_t no_unit = -1;

  /// Throws UsageError on a shape that makes no sense. What is held for records lies in memory, or
  /// in a spool.
  explicit Dataset(const DatasetShape& shape, std::shared_ptr<base::Spool> spool = nullptr);
  /// Where the records lie, for those that are made of them and for what is held for each; null:
  /// in memory.
  [[nodiscard]] const std::shared_ptr<base::Spool>& spool() const { return spool_; }

  /// Appends a record. A row that breaks an invariant (column order, range, norm) is an
  /// InternalError: encoders certify rows, and nothing but certified rows may be stored. A label
  /// outside of the shape's domain is a UsageError, which does not tell it.
  void append(const EncodedRow& row);
  /// Appends a record given by all its columns.
  void append_dense(std::span<const std::int16_t> values, double label, std::int64_t unit = 0);
  /// Appends a record of a data set of the same shape, which was certified there, as a record of
  /// `unit`.
  void append(const Dataset& other, std::int64_t row, std::int64_t unit);

  /// Appends all records of a data set of the same shape, which were certified there. Where both
  /// have units, unit k of `other` is unit units[k] here; numbers that are new ascend with k.
  void append(const Dataset& other, std::span<const std::int64_t> units = {});

  [[nodiscard]] std::int64_t rows() const { return labels_.size(); }
  [[nodiscard]] const DatasetShape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t columns() const { return shape_.columns; }
  [[nodiscard]] bool sparse() const { return shape_.storage == Storage::sparse; }
  [[nodiscard]] double norm_bound() const { return shape_.norm_bound; }
  /// floor((feature_scale * norm_bound)^2): the largest squared norm a stored row can have.
  [[nodiscard]] std::int64_t squared_norm_bound() const { return squared_norm_bound_; }

  /// Only when storage is dense and rows are not packed.
  [[nodiscard]] std::span<const std::int16_t> dense_row(std::int64_t row) const;
  /// Also of packed rows, which are expanded into `room`: rounded to units of features.
  [[nodiscard]] std::span<const std::int16_t> dense_row(std::int64_t row,
                                                        std::vector<std::int16_t>& room) const;
  /// How rows are packed; null: they are not.
  [[nodiscard]] const HatRows* packing() const { return packing_.get(); }
  /// A row as it is packed: of zeros where it does not pack, which odd_row() holds.
  [[nodiscard]] const std::int16_t* packed_row(std::int64_t row) const {
    return stored_row(row).data();
  }
  /// The integers of a row that does not pack; none for others.
  [[nodiscard]] std::span<const std::int16_t> odd_row(std::int64_t row) const;
  [[nodiscard]] bool has_odd_rows() const { return !odd_places_.empty(); }
  /// What turns a row's integers into its features, up to the unit: 1 but for packed rows.
  [[nodiscard]] double scale(std::int64_t row) const;
  /// Only when storage is sparse.
  [[nodiscard]] SparseRow sparse_row(std::int64_t row) const {
    const RowPlace& place = places_[row];
    const SparseBlock& block = sparse_blocks_[place.block];
    return {.columns = {block.columns.data() + place.offset, place.length},
            .values = {block.values.data() + place.offset, place.length}};
  }

  /// A hint that a record far from the last ones will soon be read: its label and the place of its
  /// row start on their way from memory.
  void fetch_ahead(std::int64_t row) const {
    __builtin_prefetch(&labels_[row]);
    if (sparse()) __builtin_prefetch(&places_[row]);
  }

  /// In shape().labels: -1 or +1 for two classes, 0..k-1 for k, [-1, 1] or [0, 1] for regression.
  [[nodiscard]] double label(std::int64_t row) const { return labels_[row]; }
  /// Whether the record has a target. One that has none keeps its place among the records, but all
  /// of its features are 0 and its label is one fixed number, so that its gradient in a linear
  /// model is 0 (docs/proofs/missing_target.md). Whatever has other parameters, or counts labels,
  /// leaves it out.
  [[nodiscard]] bool labelled(std::int64_t row) const {
    return unlabelled_.empty() || !std::ranges::binary_search(unlabelled_, row);
  }
  /// Exact sum of the squares of the row's integers: of a packed row before its scale.
  [[nodiscard]] std::int64_t squared_norm(std::int64_t row) const { return squared_norms_[row]; }

  /// Which privacy unit a record belongs to: its own when the data have no unit column.
  [[nodiscard]] bool has_units() const { return has_units_; }
  [[nodiscard]] std::int64_t unit_of(std::int64_t row) const {
    return has_units_ ? units_[row] : row;
  }
  /// Units are numbered 0..unit_count()-1 by first appearance; as private as rows().
  [[nodiscard]] std::int64_t unit_count() const { return has_units_ ? unit_count_ : rows(); }
  /// Declares that records carry units; only before the first record.
  void declare_units();

  /// Frees the memory of the records before `row`, block by block, for callers that write records
  /// to a new place while they read them. The freed records may not be read again.
  void forget_before(std::int64_t row);

  /// Bytes held for the records, in memory or in the spool, for measurements.
  [[nodiscard]] std::int64_t memory_bytes() const;

 private:
  struct SparseBlock {
    explicit SparseBlock(const std::shared_ptr<base::Spool>& spool)
        : columns(spool), values(spool) {}
    base::SpooledVector<std::uint32_t> columns;
    base::SpooledVector<std::int16_t> values;
  };
  struct RowPlace {
    std::uint32_t block;
    std::uint32_t offset;
    std::uint32_t length;
  };

  struct RecordFacts {
    double label;
    std::int64_t unit;
    std::int64_t squared_norm;
    bool labelled;
  };
  void append_facts(const RecordFacts& facts);
  void append_sparse(std::span<const std::uint32_t> columns, std::span<const std::int16_t> values);
  void check_same_shape(const Dataset& other) const;
  std::int16_t* new_stored_row();
  [[nodiscard]] std::span<const std::int16_t> stored_row(std::int64_t row) const;
  std::int64_t append_packed(const EncodedRow& row, std::int64_t squared_norm);
  void append_stored(const Dataset& other, std::int64_t row);
  std::span<std::int16_t> new_odd_row();

  DatasetShape shape_;
  std::shared_ptr<base::Spool> spool_;
  std::int64_t squared_norm_bound_ = 0;
  std::shared_ptr<const HatRows> packing_;
  std::size_t stored_width_ = 0;  // of a dense row
  int dense_shift_ = 0;           // a dense block holds 2^dense_shift_ rows
  std::vector<base::SpooledVector<std::int16_t>> dense_blocks_;
  std::vector<SparseBlock> sparse_blocks_;
  std::size_t forgotten_ = 0;  // dense or sparse blocks
  // Rows that do not pack, ascending, and all of their columns.
  base::SpooledVector<std::int64_t> odd_places_;
  base::SpooledVector<std::int16_t> odd_rows_;
  BlockVector<RowPlace> places_;  // of sparse rows
  BlockVector<double> labels_;
  base::SpooledVector<std::int64_t> unlabelled_;  // rows without a target, ascending
  BlockVector<std::int64_t> squared_norms_;
  bool has_units_ = false;
  std::int64_t unit_count_ = 0;
  BlockVector<std::int64_t> units_;
};

/// The same records, no row packed.
[[nodiscard]] Dataset unpacked(const Dataset& dataset);

/// One record of each unit, chosen uniformly among the unit's by a secret random draw, in the order
/// in which units appear; records without a unit are left out. Given all choices, two data sets
/// that differ in one unit become two that differ in one record, so that what is proved for records
/// holds for units (docs/proofs/unit_draw.md). InternalError for a data set without units.
[[nodiscard]] Dataset one_record_per_unit(const Dataset& dataset, random::BlockClaim draws);

}  // namespace tacet::data
