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
  std::int64_t unit = 0;  ///< number of its privacy unit; 0 if the data have none
  /// false: it has no target, all features are 0, and it does not influence the model
  bool labelled = true;
  /// For rows that are packed (hat_rows.h), set by the code that scales rows: the features before
  /// scaling and rounding, and how many grid units of the row a feature of 1 has.
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
  /// If there is no label, the row loses its features and gets one fixed label.
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

/// The labels that records may have. Losses are bounded only for these: with another label, a bound
/// would be false or the model wrong.
class LabelDomain {
 public:
  /// Any finite number, for sums whose bounds do not depend on it. No training accepts it.
  constexpr LabelDomain() = default;
  /// For records without labels, as in predictions: every label is 0.
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

/// The public facts about a data set, known before any value is read.
struct DatasetShape {
  std::int64_t columns = 0;  ///< encoded columns, intercept included
  double norm_bound = 1;  ///< bound of each row's Euclidean norm in real units, intercept included
  Storage storage = Storage::dense;
  LabelDomain labels = {};
  /// Numbers that dense rows store as a position between two knots (hat_rows.h), which takes a
  /// fraction of the memory. Ascending. Numbers that cannot be packed are stored as usual.
  std::vector<HatColumns> hats = {};
};

/// Encoded private records: small integers whose norms were certified when they were appended.
/// Several threads may read it at once; during a change no other thread may use it.
///
/// The records are private. There is no printing and no serialisation; only mechanisms may release
/// sums over them. `rows()` is private too if neighbours have a record more or less.
class Dataset {
 public:
  /// A stored feature v means v / feature_scale; |v| <= feature_scale.
  static constexpr int feature_scale = 2048;
  /// The unit of a record whose unit is missing. Sums that bound units leave such records out.
  static constexpr std::int64_t no_unit = -1;

  /// UsageError for a shape that makes no sense. Records are held in memory, or in a spool.
  explicit Dataset(const DatasetShape& shape, std::shared_ptr<base::Spool> spool = nullptr);
  /// The spool that holds the records, for data derived from them; null: they are in memory.
  [[nodiscard]] const std::shared_ptr<base::Spool>& spool() const { return spool_; }

  /// Appends a record. A row that breaks an invariant (column order, range, norm) is an
  /// InternalError: encoders certify rows, and only certified rows may be stored. UsageError for a
  /// label outside of the shape's domain; the message does not contain the label.
  void append(const EncodedRow& row);
  /// Appends a record that is given by all of its columns.
  void append_dense(std::span<const std::int16_t> values, double label, std::int64_t unit = 0);
  /// Appends a record of another data set with the same shape, which has certified it, as a record
  /// of `unit`.
  void append(const Dataset& other, std::int64_t row, std::int64_t unit);

  /// Appends all records of another data set with the same shape, which has certified them. If both
  /// have units, unit k of `other` becomes unit units[k] here; numbers that are new must ascend
  /// with k.
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
  /// Also for packed rows, which are expanded into `room` and rounded to grid units.
  [[nodiscard]] std::span<const std::int16_t> dense_row(std::int64_t row,
                                                        std::vector<std::int16_t>& room) const;
  /// How rows are packed; null if they are not.
  [[nodiscard]] const HatRows* packing() const { return packing_.get(); }
  /// A row in its packed form; zeros if it cannot be packed (see odd_row).
  [[nodiscard]] const std::int16_t* packed_row(std::int64_t row) const {
    return stored_row(row).data();
  }
  /// The integers of a row that cannot be packed; empty for other rows.
  [[nodiscard]] std::span<const std::int16_t> odd_row(std::int64_t row) const;
  [[nodiscard]] bool has_odd_rows() const { return !odd_places_.empty(); }
  /// The factor that turns a row's integers into its features in grid units: 1 unless the row is
  /// packed.
  [[nodiscard]] double scale(std::int64_t row) const;
  /// Only when storage is sparse.
  [[nodiscard]] SparseRow sparse_row(std::int64_t row) const {
    const RowPlace& place = places_[row];
    const SparseBlock& block = sparse_blocks_[place.block];
    return {.columns = {block.columns.data() + place.offset, place.length},
            .values = {block.values.data() + place.offset, place.length}};
  }

  /// A hint that a record will soon be read that is far from the last ones: prefetches its label
  /// and the place of its row.
  void fetch_ahead(std::int64_t row) const {
    __builtin_prefetch(&labels_[row]);
    if (sparse()) __builtin_prefetch(&places_[row]);
  }

  /// In shape().labels: -1 or +1 for two classes, 0..k-1 for k, [-1, 1] or [0, 1] for regression.
  [[nodiscard]] double label(std::int64_t row) const { return labels_[row]; }
  /// Whether the record has a target. A record without one keeps its place, but all of its features
  /// are 0 and its label is a fixed number. So its gradient in a linear model is 0
  /// (docs/proofs/missing_target.md). Code for other models, and code that counts labels, must
  /// leave such records out.
  [[nodiscard]] bool labelled(std::int64_t row) const {
    return unlabelled_.empty() || !std::ranges::binary_search(unlabelled_, row);
  }
  /// The exact sum of the squares of the row's integers; for a packed row, before they are scaled.
  [[nodiscard]] std::int64_t squared_norm(std::int64_t row) const { return squared_norms_[row]; }

  /// The privacy unit of a record; its own one if the data have no unit column.
  [[nodiscard]] bool has_units() const { return has_units_; }
  [[nodiscard]] std::int64_t unit_of(std::int64_t row) const {
    return has_units_ ? units_[row] : row;
  }
  /// Units are numbered 0..unit_count()-1 by first appearance; as private as rows().
  [[nodiscard]] std::int64_t unit_count() const { return has_units_ ? unit_count_ : rows(); }
  /// Declares that records carry units; only before the first record.
  void declare_units();

  /// Frees the memory of the records before `row`, block by block. For callers that move records to
  /// a new place while they read them. The freed records may not be read again.
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
  // Rows that cannot be packed, ascending, with all of their columns.
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

/// The same records, without packing.
[[nodiscard]] Dataset unpacked(const Dataset& dataset);

/// One record of each unit, chosen uniformly from the unit's records by a secret random draw, in
/// the order in which units appear; records without a unit are left out. For fixed choices, two
/// data sets that differ in one unit become two that differ in one record. So a proof for records
/// holds for units (docs/proofs/unit_draw.md). InternalError for a data set without units.
[[nodiscard]] Dataset one_record_per_unit(const Dataset& dataset, random::BlockClaim draws);

}  // namespace tacet::data
