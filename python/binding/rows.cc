#include "python/binding/rows.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "python/binding/binding.h"
#include "python/binding/typed_column.h"
#include "tacet/base/error.h"
#include "tacet/data/read/arrow_interface.h"
#include "tacet/data/read/arrow_records.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using data::Value;
/// Fills the values of one record, and says whether there was one more.
using Next = std::function<bool(std::span<Value>)>;

Next next_of(const std::vector<TypedColumn>& columns) {
  return [&columns, row = std::size_t{0}](std::span<Value> values) mutable {
    if (row == columns.front().length) return false;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = columns[k].at(row);
    ++row;
    return true;
  };
}

void check_lengths(const std::vector<TypedColumn>& columns) {
  const bool equal = std::ranges::all_of(
      columns, [&](const auto& column) { return column.length == columns.front().length; });
  if (!equal) throw base::DataError("the columns of the records are of different lengths");
}

/// The records of both, side by side.
Next beside(Next left, std::size_t left_columns, Next right) {
  return [=](std::span<Value> values) {
    const bool more = left(values.first(left_columns));
    if (more != right(values.subspan(left_columns))) {
      throw base::DataError("the columns of the records are of different lengths");
    }
    return more;
  };
}

template <typename Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

/// DataError for what is no capsule of a stream.
ArrowArrayStream& stream_in(const nb::object& capsule) {
  auto* const given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given != nullptr) return *given;
  PyErr_Clear();
  throw base::DataError("the records in memory are no stream of Arrow's C interface");
}

/// The records of a stream, of which there must be one: a stream that somebody has read before ends
/// at once, and so does a query that finds nothing.
class StreamedRecords {
 public:
  explicit StreamedRecords(std::shared_ptr<data::ArrowRecords> records)
      : records_(std::move(records)) {}

  bool operator()(std::span<Value> values) {
    const bool more = records_->next(values);
    if (!more && !any_) {
      throw base::DataError(
          "the stream of records ended before the first one: it was read before, or what it reads "
          "has no record");
    }
    any_ = true;
    return more;
  }

 private:
  std::shared_ptr<data::ArrowRecords> records_;
  bool any_ = false;
};

/// One pass over a stream, which begins with the first record that is asked for.
class StreamPass : public data::RecordReader {
 public:
  explicit StreamPass(std::shared_ptr<data::ArrowRecords> records)
      : records_(records), values_(records->names().size()), next_(std::move(records)) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return records_->names(); }
  [[nodiscard]] std::optional<std::span<const Value>> next() override {
    if (!begun_) records_->restart();
    begun_ = true;
    if (!next_(values_)) return std::nullopt;
    return values_;
  }

 private:
  std::shared_ptr<data::ArrowRecords> records_;
  std::vector<Value> values_;
  StreamedRecords next_;
  bool begun_ = false;
};

/// One pass over columns.
class HeldRecords : public data::RecordReader {
 public:
  HeldRecords(const std::vector<std::string>& names, const std::vector<TypedColumn>& columns)
      : names_(names), values_(columns.size()), next_(next_of(columns)) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] std::optional<std::span<const Value>> next() override {
    if (!next_(values_)) return std::nullopt;
    return values_;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<Value> values_;
  Next next_;
};

}  // namespace

HeldRows HeldRows::dense(Numbers values, const nb::object& labels) {
  if (values.ndim() != 2) throw base::DataError("records are an array of two dimensions");
  HeldRows rows;
  rows.form_ = Form::dense;
  rows.columns_ = static_cast<std::int64_t>(values.shape(1));
  rows.values_ = std::move(values);
  rows.set_labels(labels);
  return rows;
}

HeldRows HeldRows::sparse(Starts starts, Places indices, Numbers values, std::int64_t columns,
                          const nb::object& labels) {
  HeldRows rows;
  rows.form_ = Form::sparse;
  rows.starts_ = std::move(starts);
  rows.indices_ = std::move(indices);
  rows.values_ = std::move(values);
  rows.columns_ = columns;
  rows.set_labels(labels);
  return rows;
}

HeldRows HeldRows::table(nb::object stream,
                         std::vector<std::pair<std::string, nb::object>> columns) {
  HeldRows rows;
  if (!stream.is_none()) rows.stream_ = std::move(stream);
  for (const auto& [name, column] : columns) {
    rows.names_.push_back(name);
    rows.typed_.push_back(typed_column(name, column));
  }
  if (!rows.typed_.empty()) check_lengths(rows.typed_);
  if (rows.typed_.empty() && !rows.stream_) throw base::DataError("records without a column");
  return rows;
}

HeldRows HeldRows::stream(const nb::object& capsule, bool several_passes) {
  HeldRows rows;
  rows.records_ = std::make_shared<data::ArrowRecords>(
      stream_in(capsule), several_passes ? data::Passes::several : data::Passes::once);
  rows.names_ = rows.records_->names();
  return rows;
}

/// Doubles as they lie there, everything else value by value.
void HeldRows::set_labels(const nb::object& given) {
  if (given.is_none()) return;
  if (nb::try_cast(given, label_numbers_, false) && label_numbers_.ndim() == 1) {
    label_type_ = {.kind = data::ValueType::Kind::real, .name = "float64"};
    labels_ = span_of(label_numbers_);
    return;
  }
  label_column_ = typed_column("y", given);
  label_type_ = label_column_.type;
  label_values_.reserve(label_column_.length);
  for (std::size_t k = 0; k < label_column_.length; ++k) {
    label_values_.push_back(label_column_.at(k));
  }
  labels_ = std::span<const Value>(label_values_);
}

/// Types are public: what cannot be read by its type is refused before anything is booked.
void HeldRows::check_types(const data::Schema& schema, data::TargetUse target) const {
  if (records_) return records_->read_by(schema, target, data::FurtherColumns::given);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    data::check_type(schema, target, names_[k], typed_[k].type);
  }
  if (target == data::TargetUse::required && schema.target && label_type_) {
    data::check_label_type(*schema.target, *label_type_);
  }
}

void HeldRows::refuse_unfit(const std::vector<std::string>& dates,
                            const std::vector<std::string>& ignored) const {
  using Kind = data::ValueType::Kind;
  std::vector<data::ValueType> types;
  if (records_) types = records_->types();
  for (const auto& column : typed_) types.push_back(column.type);
  const auto is_in = [](const auto& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (is_in(ignored, names_[k])) continue;
    if (types[k].kind == Kind::unreadable) {
      throw base::DataError(
          "column '{}' has the type {}, which holds no single number, text or date; ignore the "
          "column, or give it as one",
          names_[k], types[k].name);
    }
    if (types[k].kind != Kind::day || is_in(dates, names_[k])) continue;
    throw base::DataError(
        "column '{}' holds dates, which a fit takes for texts that no schema finds again: ignore "
        "it, or give days as numbers; a schema of one's own has columns of dates",
        names_[k]);
  }
}

run::TypedRecords HeldRows::records(const data::Schema& schema, data::TargetUse target) {
  if (records_) {
    records_->read_by(schema, target, further_);
    return {names_, StreamedRecords(records_)};
  }
  if (!stream_) return {names_, next_of(typed_)};
  const auto arrow = std::make_shared<data::ArrowRecords>(stream_in(stream_), schema, target);
  run::TypedRecords records{arrow->names(),
                            [arrow](std::span<Value> values) { return arrow->next(values); }};
  if (typed_.empty()) return records;
  records.next = beside(std::move(records.next), records.names.size(), next_of(typed_));
  records.names.insert(records.names.end(), names_.begin(), names_.end());
  return records;
}

run::Rows HeldRows::view(const data::Schema& schema, data::TargetUse target) {
  check_types(schema, target);
  auto view = rows(schema, target);
  run::check_rows(view, schema, target);
  return view;
}

run::Rows HeldRows::rows(const data::Schema& schema, data::TargetUse target) {
  switch (form_) {
    case Form::dense:
      return run::Matrix{span_of(values_), columns_, labels_};
    case Form::sparse:
      return run::SparseMatrix{span_of(starts_), span_of(indices_), span_of(values_), columns_,
                               labels_};
    case Form::table:
      break;
  }
  return records(schema, target);
}

data::RecordSource HeldRows::source() const {
  if (form_ != Form::table || stream_) throw base::InternalError("these are no columns");
  if (records_) {
    return {"the records in memory", [this] { return std::make_unique<StreamPass>(records_); }};
  }
  return {"the records in memory",
          [this] { return std::make_unique<HeldRecords>(names_, typed_); }};
}

namespace {

/// Python's own values as numbers in the way a file's are; NaN where one is none.
nb::ndarray<nb::numpy, double, nb::ndim<1>> numbers(const nb::list& values) {
  const auto column = typed_column("X", values);
  auto held = std::make_unique<std::vector<double>>();
  const data::NumberReader any_number;
  for (std::size_t k = 0; k < column.length; ++k) {
    held->push_back(data::number_of(column.at(k), any_number).value_or(std::nan("")));
  }
  auto* const data = held->data();
  const nb::capsule owner(held.release(), [](void* p) noexcept {
    delete static_cast<std::vector<double>*>(p);  // NOLINT(cppcoreguidelines-owning-memory)
  });
  return {data, {column.length}, owner};
}

/// Whether single numbers, or values of any type, are in a column of that type.
bool may_hold_numbers(const std::string& type) {
  using enum data::ValueType::Kind;
  const auto kind = type_called(type).kind;
  return kind == any || kind == boolean || kind == integer || kind == real;
}

}  // namespace

void bind_rows(nb::module_& module) {
  module.def("numbers", &numbers);
  module.def("may_hold_numbers", &may_hold_numbers);
  nb::class_<HeldRows>(module, "Rows")
      .def_static("dense", &HeldRows::dense, nb::arg("values"), nb::arg("labels").none())
      .def_static("sparse", &HeldRows::sparse, nb::arg("starts"), nb::arg("indices"),
                  nb::arg("values"), nb::arg("columns"), nb::arg("labels").none())
      .def_static("table", &HeldRows::table, nb::arg("stream").none(), nb::arg("columns"))
      .def_static("stream", &HeldRows::stream, nb::arg("capsule"), nb::arg("several_passes"))
      .def_prop_ro("names", &HeldRows::names)
      .def("give_further_columns", &HeldRows::give_further_columns);
}

}  // namespace tacet::python
