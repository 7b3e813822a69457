#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/encode/value_type.h"
#include "tacet/data/read/arrow_records.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"
#include "tacet/run/read_rows.h"

namespace tacet::python {

/// A column of values that have types: reads the value at a place, without the interpreter. Texts
/// live as long as the column.
struct TypedColumn {
  std::size_t length = 0;
  data::ValueType type;
  std::function<data::Value(std::size_t row)> at;
};

/// Records that Python holds, for one call. Arrays stay alive as long as this.
class HeldRows {
 public:
  using Numbers = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
  using Places = nanobind::ndarray<const std::uint32_t, nanobind::c_contig, nanobind::device::cpu>;
  using Starts = nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu>;

  /// Labels are a column as typed_column takes one, or None.
  static HeldRows dense(Numbers values, const nanobind::object& labels);
  static HeldRows sparse(Starts starts, Places indices, Numbers values, std::int64_t columns,
                         const nanobind::object& labels);
  /// Columns by name beside those of an Arrow stream, or of None. The stream is part of a table
  /// that is held elsewhere.
  static HeldRows table(nanobind::object stream,
                        std::vector<std::pair<std::string, nanobind::object>> columns);
  /// Records that are a stream of Arrow's C interface and nothing else. It is opened here, for its
  /// names and types, and read by view(), or by the passes of source(). With several passes its
  /// batches are kept as long as this.
  static HeldRows stream(const nanobind::object& capsule, bool several_passes);

  /// The names of a stream's columns.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The columns of a stream that no schema reads are given out too, for a ledger.
  void give_further_columns() { further_ = data::FurtherColumns::given; }

  /// As the engine takes them. A table with a stream can be viewed once: what was read is gone.
  /// DataError or UsageError for shapes, names and types that do not go with the schema.
  [[nodiscard]] run::Rows view(const data::Schema& schema, data::TargetUse target);
  /// DataError for a column whose type the schema cannot read.
  void check_types(const data::Schema& schema, data::TargetUse target) const;
  /// For a fit that makes a schema: DataError for a column of dates, unless it is one of those, and
  /// for one of a stream that has no single values, unless it is ignored.
  void refuse_unfit(const std::vector<std::string>& dates,
                    const std::vector<std::string>& ignored) const;
  /// A table's columns, or a stream's, for passes while this lives: any number of them, of a stream
  /// as many as it was opened for.
  [[nodiscard]] data::RecordSource source() const;

 private:
  enum class Form { dense, sparse, table };

  void set_labels(const nanobind::object& given);
  [[nodiscard]] run::Rows rows(const data::Schema& schema, data::TargetUse target);
  [[nodiscard]] run::TypedRecords records(const data::Schema& schema, data::TargetUse target);

  Form form_ = Form::table;
  Numbers values_;
  Starts starts_;
  Places indices_;
  std::int64_t columns_ = 0;
  std::optional<data::ValueType> label_type_;
  TypedColumn label_column_;
  std::vector<data::Value> label_values_;
  Numbers label_numbers_;
  run::Column labels_;
  nanobind::object stream_;                      // of a table
  std::shared_ptr<data::ArrowRecords> records_;  // that are a stream
  data::FurtherColumns further_ = data::FurtherColumns::missing;
  std::vector<std::string> names_;
  std::vector<TypedColumn> typed_;
};

}  // namespace tacet::python
