#include "tacet/run/read_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/run/record_text.h"

namespace tacet::run {
namespace {

constexpr std::int64_t rows_between_looks = 4096;

std::size_t length_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column);
}

data::Value value_at(const Column& column, std::size_t row) {
  if (const auto* numbers = std::get_if<std::span<const double>>(&column)) return (*numbers)[row];
  if (const auto* values = std::get_if<std::span<const data::Value>>(&column)) {
    return (*values)[row];
  }
  return std::string_view(std::get<std::span<const std::string>>(column)[row]);
}

constexpr std::string_view no_file;  // for the encoder, whose messages name a file's first line

/// The names of the columns, of rows that have any.
const std::vector<std::string>* names_in(const Rows& rows) {
  struct Names {
    const std::vector<std::string>* operator()(const Table& table) const { return &table.names; }
    const std::vector<std::string>* operator()(const Records& records) const {
      return &records.names;
    }
    const std::vector<std::string>* operator()(const TypedRecords& records) const {
      return &records.names;
    }
    const std::vector<std::string>* operator()(const Matrix& /*rows*/) const { return nullptr; }
    const std::vector<std::string>* operator()(const SparseMatrix& /*rows*/) const {
      return nullptr;
    }
  };
  return std::visit(Names(), rows);
}

/// UsageError for rows that are no whole table by themselves, whatever reads them.
struct ExpectWhole {
  void operator()(const Matrix& matrix) const {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(matrix.columns, 1));
    if (matrix.values.size() % width != 0) {
      throw base::UsageError("values in {} columns that are no whole number of records",
                             matrix.columns);
    }
  }
  void operator()(const SparseMatrix& matrix) const {
    const auto size = matrix.indices.size();
    const auto& starts = matrix.starts;
    if (starts.empty() || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
        static_cast<std::size_t>(starts.back()) != size || matrix.values.size() != size) {
      throw base::UsageError(
          "sparse rows need starts that ascend from 0 to the number of their indices, and as many "
          "values");
    }
  }
  void operator()(const Table& table) const {
    if (table.names.size() != table.columns.size() || table.columns.empty()) {
      throw base::UsageError("a table of {} columns with {} names", table.columns.size(),
                             table.names.size());
    }
    const std::size_t rows = length_of(table.columns.front());
    if (!std::ranges::all_of(table.columns, [&](const auto& c) { return length_of(c) == rows; })) {
      throw base::UsageError("the columns of a table must be of one length");
    }
  }
  void operator()(const Records& /*records*/) const {}
  void operator()(const TypedRecords& /*records*/) const {}
};

/// UsageError for a matrix that does not go with the schema.
class ExpectNumbered {
 public:
  ExpectNumbered(const data::Schema& schema, data::TargetUse target)
      : schema_(schema), target_(target) {}

  void operator()(const Matrix& matrix) const {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(matrix.columns, 1));
    numbered(matrix.columns, matrix.values.size() / width, matrix.labels);
  }
  void operator()(const SparseMatrix& matrix) const {
    numbered(matrix.columns, matrix.starts.size() - 1, matrix.labels);
  }
  template <typename Named>
  void operator()(const Named& /*rows*/) const {}

 private:
  void numbered(std::int64_t columns, std::size_t rows, const Column& labels) const {
    if (columns != schema_.features->count) {
      throw base::UsageError("a matrix of {} columns for a schema of {} features", columns,
                             schema_.features->count);
    }
    if (target_ == data::TargetUse::required && length_of(labels) != rows) {
      throw base::UsageError("records and labels are of different lengths");
    }
  }

  const data::Schema& schema_;
  data::TargetUse target_;
};

}  // namespace

/// What depends on the schema and the names alone, and the units of the last rows.
struct internal::PreparedReading {
  const data::Schema& schema;
  data::TargetUse target;
  data::DatasetShape shape = {};
  std::vector<std::string> names = {};
  // One of both.
  std::optional<data::Encoder> named = {};
  std::optional<data::UniformEncoder> numbered = {};
  std::vector<std::string> units = {};
};

namespace {

/// A data set that is being made of records in memory.
class Making {
 public:
  Making(internal::PreparedReading& prepared, const ReadingRows& reading)
      : prepared_(prepared),
        schema_(prepared.schema),
        labelled_(prepared.target == data::TargetUse::required),
        cancel_(reading.cancel),
        fingerprint_(reading.fingerprint),
        dataset_(prepared.shape, reading.spool) {
    if (labelled_ && schema_.unit) dataset_.declare_units();
  }

  data::Dataset operator()(const Matrix& matrix);
  data::Dataset operator()(const Table& table);
  data::Dataset operator()(const Records& records);
  data::Dataset operator()(const SparseMatrix& matrix);
  data::Dataset operator()(const TypedRecords& records);

 private:
  /// Numbered features of one record.
  struct Numbered {
    std::span<const std::uint32_t> places;
    std::span<const double> values;
  };
  using NumberedRow = std::function<Numbered(std::size_t row)>;
  data::Dataset numbered(std::size_t rows, const Column& labels, const NumberedRow& row_at);
  /// Which of the columns are read.
  [[nodiscard]] std::vector<bool> places_read(std::span<const std::string> names) const {
    auto wanted = schema_.feature_columns();
    if (labelled_) wanted.push_back(schema_.target->column);
    if (labelled_ && schema_.unit) wanted.push_back(*schema_.unit);
    std::vector<bool> read;
    for (const auto& name : names) read.push_back(std::ranges::find(wanted, name) != wanted.end());
    return read;
  }
  void note(const data::Value& value, std::size_t column) {
    if (fingerprint_ != nullptr) internal::note(value, column, *fingerprint_);
  }
  void end_record() {
    if (fingerprint_ != nullptr) fingerprint_->end_record();
    if (cancel_ != nullptr && ++records_ % rows_between_looks == 1) cancel_->throw_if_cancelled();
  }

  internal::PreparedReading& prepared_;
  const data::Schema& schema_;
  bool labelled_;
  const base::CancelToken* cancel_;
  ledger::Fingerprint* fingerprint_;
  data::Dataset dataset_;
  data::EncodedRow row_;  // of numbered features
  std::int64_t records_ = 0;
};

data::Dataset Making::numbered(std::size_t rows, const Column& labels, const NumberedRow& row_at) {
  auto& encoder = *prepared_.numbered;
  for (std::size_t k = 0; k < rows; ++k) {
    const auto [places, values] = row_at(k);
    if (labelled_) note(value_at(labels, k), 0);
    for (std::size_t j = 0; j < places.size(); ++j) note(values[j], std::size_t{places[j]} + 1);
    if (!labelled_) {
      encoder.encode(places, values, row_);
    } else if (const auto* numbers = std::get_if<std::span<const double>>(&labels)) {
      encoder.encode(places, values, (*numbers)[k], row_);
    } else {
      encoder.encode(places, values, value_at(labels, k), row_);
    }
    dataset_.append(row_);
    end_record();
  }
  return std::move(dataset_);
}

data::Dataset Making::operator()(const Matrix& matrix) {
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(matrix.columns, 1));
  const std::size_t rows = matrix.values.size() / width;
  std::vector<std::uint32_t> places(width);
  std::iota(places.begin(), places.end(), 0U);
  return numbered(rows, matrix.labels, [&](std::size_t k) {
    return Numbered{places, matrix.values.subspan(k * width, width)};
  });
}

data::Dataset Making::operator()(const SparseMatrix& matrix) {
  const auto& starts = matrix.starts;
  return numbered(starts.size() - 1, matrix.labels, [&](std::size_t k) {
    const auto first = static_cast<std::size_t>(starts[k]);
    const auto count = static_cast<std::size_t>(starts[k + 1]) - first;
    return Numbered{matrix.indices.subspan(first, count), matrix.values.subspan(first, count)};
  });
}

data::Dataset Making::operator()(const Table& table) {
  const std::size_t rows = length_of(table.columns.front());
  std::size_t row = 0;
  return (*this)(TypedRecords{table.names, [&](std::span<data::Value> values) {
                                if (row == rows) return false;
                                for (std::size_t j = 0; j < values.size(); ++j) {
                                  values[j] = value_at(table.columns[j], row);
                                }
                                ++row;
                                return true;
                              }});
}

data::Dataset Making::operator()(const Records& records) {
  std::vector<std::string> fields(records.names.size());
  return (*this)(TypedRecords{records.names, [&](std::span<data::Value> values) {
                                for (auto& field : fields) field.clear();
                                if (!records.next(fields)) return false;
                                std::ranges::transform(fields, values.begin(),
                                                       [](const std::string& field) -> data::Value {
                                                         return std::string_view(field);
                                                       });
                                return true;
                              }});
}

data::Dataset Making::operator()(const TypedRecords& records) {
  auto& encoder = *prepared_.named;
  std::vector<data::Value> values(records.names.size());
  if (fingerprint_ != nullptr) fingerprint_->read_only(places_read(records.names));
  while (records.next(values)) {
    for (std::size_t k = 0; k < values.size(); ++k) note(values[k], k);
    encoder.append(values, dataset_);
    end_record();
  }
  encoder.flush(dataset_);
  prepared_.units = encoder.take_units();
  return std::move(dataset_);
}

}  // namespace

RowReader::RowReader(const Rows& rows, const data::Schema& schema, data::TargetUse target) {
  schema.validate();
  const bool labelled = target == data::TargetUse::required;
  if (labelled && !schema.target) {
    throw base::UsageError("the schema names no [target]; training needs one");
  }
  std::visit(ExpectWhole(), rows);
  prepared_ = std::make_unique<internal::PreparedReading>(
      internal::PreparedReading{.schema = schema, .target = target});
  if (const auto* names = names_in(rows)) {
    if (!schema.format.kind->names_columns()) {
      throw base::UsageError("the schema has [features] without names; give it a Matrix");
    }
    prepared_->names = *names;
    prepared_->named.emplace(schema, prepared_->names, target, no_file);
  } else {
    prepared_->numbered.emplace(schema);
    std::visit(ExpectNumbered(schema, target), rows);
  }
  prepared_->shape = labelled ? schema.shape() : schema.unlabelled_shape();
}
RowReader::~RowReader() = default;
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;

bool RowReader::reads(const Rows& rows) const {
  const auto* names = names_in(rows);
  return names == nullptr ? prepared_->numbered.has_value()
                          : prepared_->named.has_value() && *names == prepared_->names;
}

data::Dataset RowReader::read(const Rows& rows, const ReadingRows& reading) {
  std::visit(ExpectWhole(), rows);
  if (prepared_->numbered) std::visit(ExpectNumbered(prepared_->schema, prepared_->target), rows);
  return std::visit(Making(*prepared_, reading), rows);
}

std::vector<std::string> RowReader::take_units() { return std::move(prepared_->units); }

void check_rows(const Rows& rows, const data::Schema& schema, data::TargetUse target) {
  static_cast<void>(RowReader(rows, schema, target));
}

data::Dataset dataset_of(const Rows& rows, const data::Schema& schema, data::TargetUse target,
                         const ReadingRows& reading) {
  return RowReader(rows, schema, target).read(rows, reading);
}

optimize::PartRecords part_records_of(const Rows& rows, const data::Schema& schema,
                                      const base::CancelToken* cancel) {
  RowReader reader(rows, schema, data::TargetUse::required);
  auto records = reader.read(rows, {.cancel = cancel});
  return {std::move(records), reader.take_units()};
}

}  // namespace tacet::run
