#include "tacet/data/read_uniform.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/array_reader.h"
#include "tacet/data/byte_source.h"
#include "tacet/data/label_encoder.h"
#include "tacet/data/libsvm.h"
#include "tacet/data/uniform_encoder.h"

namespace tacet::data::internal {
namespace {

using Path = std::filesystem::path;

constexpr std::int64_t rows_between_checks = 4096;

void check_cancelled(const Dataset& data, const ReadOptions& options) {
  if (options.cancel != nullptr && data.rows() % rows_between_checks == 0) {
    options.cancel->throw_if_cancelled();
  }
}

void refuse_empty(const Dataset& data, const Path& file) {
  if (data.rows() == 0) {
    throw base::DataError(fmt::format("{}: the file holds no records", file.string()));
  }
}

std::optional<LabelEncoder> label_encoder(const Schema& schema, const ReadOptions& options) {
  if (options.target == TargetUse::absent) return std::nullopt;
  return LabelEncoder(*schema.target);
}

/// The file beside `file` whose name has `replacement` for `part`.
Path sibling(const Path& file, std::string_view part, std::string_view replacement) {
  std::string name = file.filename().string();
  const auto found = name.rfind(part);
  if (found == std::string::npos) {
    throw base::UsageError(
        fmt::format("{}: the name of such a file contains '{}'", file.string(), part));
  }
  name.replace(found, part.size(), replacement);
  return file.parent_path() / name;
}

ArrayReader open_array(const Path& file) { return {open_source(file), file.string()}; }

/// Labels one by one, when the target is wanted.
class LabelFile {
 public:
  LabelFile(const Path& file, std::int64_t rows, const Schema& schema, const ReadOptions& options)
      : encoder_(label_encoder(schema, options)) {
    if (!encoder_) return;
    reader_.emplace(open_array(file));
    if (reader_->size() != rows) {
      throw base::DataError(
          fmt::format("{}: the file has another number of labels than there are records",
                      reader_->file_name()));
    }
  }

  double next() {
    if (!encoder_) return 0;
    double value = 0;
    reader_->read(std::span(&value, 1));
    return encoder_->encode_number(value);
  }
  void expect_end() {
    if (reader_) reader_->expect_end();
  }

 private:
  std::optional<LabelEncoder> encoder_;
  std::optional<ArrayReader> reader_;
};

/// Row by row the indices and values of compressed sparse rows.
class CsrRows {
 public:
  CsrRows(const Path& file, std::int64_t column_count)
      : column_count_(column_count),
        starts_(open_array(file)),
        indices_(open_array(sibling(file, ".indptr.", ".indices."))) {
    const Path data_file = sibling(file, ".indptr.", ".data.");
    if (std::filesystem::exists(data_file)) data_.emplace(open_array(data_file));
    if (starts_.shape().size() != 1 || starts_.size() < 1 || indices_.shape().size() != 1) {
      fail(starts_, "'indptr' and 'indices' must be one-dimensional, 'indptr' not empty");
    }
    if (data_ && data_->shape() != indices_.shape()) {
      fail(*data_, "'data' must have the length of 'indices'");
    }
    previous_ = next_start();
    if (previous_ != 0) fail(starts_, "'indptr' must begin with 0");
  }

  [[nodiscard]] std::int64_t rows() const { return starts_.size() - 1; }

  void next(std::vector<std::uint32_t>& columns, std::vector<double>& values) {
    const std::int64_t start = next_start();
    const std::int64_t length = start - previous_;
    // A row longer than the columns would repeat one; checking first bounds the memory.
    if (length < 0 || length > column_count_ || start > indices_.size()) {
      fail(starts_,
           "'indptr' must ascend, by at most the schema's count of features a row, to the "
           "length of 'indices'");
    }
    previous_ = start;
    raw_.resize(static_cast<std::size_t>(length));
    indices_.read(std::span(raw_));
    values.assign(raw_.size(), 1.0);
    if (data_) data_->read(std::span(values));
    columns.resize(raw_.size());
    for (std::size_t k = 0; k < raw_.size(); ++k) {
      if (raw_[k] < 0 || raw_[k] >= column_count_) {
        fail(indices_, fmt::format("an index outside of the schema's {} features", column_count_));
      }
      columns[k] = static_cast<std::uint32_t>(raw_[k]);
    }
    if (!std::is_sorted(columns.begin(), columns.end())) sort(columns, values);
    if (std::adjacent_find(columns.begin(), columns.end()) != columns.end()) {
      fail(indices_, "an index appears twice in a row");
    }
  }

  void expect_end() {
    if (previous_ != indices_.size()) fail(starts_, "'indptr' ends before 'indices'");
    starts_.expect_end();
    indices_.expect_end();
    if (data_) data_->expect_end();
  }

 private:
  std::int64_t next_start() {
    std::int64_t start = 0;
    starts_.read(std::span(&start, 1));
    return start;
  }

  static void sort(std::vector<std::uint32_t>& columns, std::vector<double>& values) {
    std::vector<std::pair<std::uint32_t, double>> fields(columns.size());
    for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = {columns[k], values[k]};
    std::sort(fields.begin(), fields.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < fields.size(); ++k) {
      columns[k] = fields[k].first;
      values[k] = fields[k].second;
    }
  }

  [[noreturn]] static void fail(const ArrayReader& reader, std::string_view message) {
    throw base::DataError(fmt::format("{}: {}", reader.file_name(), message));
  }

  std::int64_t column_count_;
  ArrayReader starts_;
  ArrayReader indices_;
  std::optional<ArrayReader> data_;
  std::int64_t previous_ = 0;
  std::vector<std::int64_t> raw_;
};

}  // namespace

Dataset read_libsvm(const Path& file, const Schema& schema, const ReadOptions& options) {
  LibsvmReader reader(open_source(file), file.string(), {.column_count = schema.features->count});
  const auto label = label_encoder(schema, options);
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  LibsvmRecord record;
  EncodedRow row;
  while (reader.next(record)) {
    encoder.encode(record.columns, record.values, row);
    row.label = label ? label->encode(record.label) : 0.0;
    data.append(row);
    check_cancelled(data, options);
  }
  refuse_empty(data, file);
  return data;
}

Dataset read_npy(const Path& file, const Schema& schema, const ReadOptions& options) {
  ArrayReader reader = open_array(file);
  const std::int64_t count = schema.features->count;
  if (reader.shape().size() < 2 || reader.row_size() != count) {
    throw base::DataError(fmt::format(
        "{}: the array must have a row a record with the schema's {} features; it has {} "
        "dimensions and {} numbers a row",
        file.string(), count, reader.shape().size(), reader.row_size()));
  }
  const std::int64_t rows = reader.shape()[0];
  const bool images = file.filename().string().find("images-idx3") != std::string::npos;
  LabelFile labels(
      images ? sibling(file, "images-idx3", "labels-idx1") : sibling(file, ".npy", ".labels.npy"),
      rows, schema, options);
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  std::vector<std::uint32_t> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), 0U);
  std::vector<double> values(columns.size());
  EncodedRow row;
  for (std::int64_t k = 0; k < rows; ++k) {
    reader.read(std::span(values));
    encoder.encode(columns, values, row);
    row.label = labels.next();
    data.append(row);
    check_cancelled(data, options);
  }
  reader.expect_end();
  labels.expect_end();
  refuse_empty(data, file);
  return data;
}

Dataset read_npy_csr(const Path& file, const Schema& schema, const ReadOptions& options) {
  CsrRows rows(file, schema.features->count);
  LabelFile labels(sibling(file, ".indptr.", ".labels."), rows.rows(), schema, options);
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  EncodedRow row;
  for (std::int64_t k = 0; k < rows.rows(); ++k) {
    rows.next(columns, values);
    encoder.encode(columns, values, row);
    row.label = labels.next();
    data.append(row);
    check_cancelled(data, options);
  }
  rows.expect_end();
  labels.expect_end();
  refuse_empty(data, file);
  return data;
}

}  // namespace tacet::data::internal
