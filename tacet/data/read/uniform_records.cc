#include "tacet/data/read/uniform_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/feature_list.h"
#include "tacet/data/read/libsvm.h"

namespace tacet::data::internal {
namespace {

using Path = std::filesystem::path;

// A row is read in pieces of this many numbers. A header may claim more numbers than there are, so
// memory grows with those that are read.
constexpr std::size_t piece = std::size_t{1} << 16;

[[noreturn]] void fail(const ArrayReader& reader, std::string_view message) {
  throw base::DataError("{}: {}", reader.file_name(), message);
}

class LibsvmRecords : public UniformRecords {
 public:
  LibsvmRecords(std::unique_ptr<ByteSource> source, std::string file_name,
                const LibsvmOptions& options)
      : file_name_(std::move(file_name)),
        options_(options),
        reader_(std::move(source), file_name_, options) {}

  bool next(UniformRecord& record) override {
    if (!reader_.next(fields_)) return false;
    record.columns = fields_.features.columns();
    record.values = fields_.features.values();
    record.text_label = fields_.label;
    record.outside = fields_.dropped;
    record.place = reader_.line();
    return true;
  }

  std::optional<BegunText> take_text() override { return reader_.take_rest(); }
  [[nodiscard]] std::unique_ptr<UniformRecords> of_lines(
      std::unique_ptr<ByteSource> text) const override {
    LibsvmOptions options = options_;
    options.from_start = false;
    options.buffer_size = std::size_t{1} << 16;
    return std::make_unique<LibsvmRecords>(std::move(text), file_name_, options);
  }
  [[nodiscard]] std::int64_t lines() const override { return reader_.next_line() - 1; }

 private:
  std::string file_name_;
  LibsvmOptions options_;
  LibsvmReader reader_;
  LibsvmRecord fields_;
};

/// Labels one by one, if they are wanted.
class Labels {
 public:
  Labels(std::optional<ArrayReader> reader, std::int64_t rows) : reader_(std::move(reader)) {
    if (reader_ && reader_->size() != rows) {
      fail(*reader_, "the file has another number of labels than there are records");
    }
  }

  void read(UniformRecord& record) {
    if (!reader_) return;
    double value = 0;
    reader_->read(std::span(&value, 1));
    record.number_label = value;
  }
  void expect_end() {
    if (reader_) reader_->expect_end();
  }

 private:
  std::optional<ArrayReader> reader_;
};

class DenseRecords : public UniformRecords {
 public:
  DenseRecords(ArrayReader features, std::optional<ArrayReader> labels, std::int64_t count)
      : features_(std::move(features)), labels_(std::move(labels), rows_of(features_)) {
    if (features_.shape().size() < 2 || features_.row_size() != count) {
      fail(features_, fmt::format("the array must have a row a record with the schema's {} "
                                  "features; it has {} dimensions and {} numbers a row",
                                  count, features_.shape().size(), features_.row_size()));
    }
  }

  bool next(UniformRecord& record) override {
    if (read_ == rows_of(features_)) {
      features_.expect_end();
      labels_.expect_end();
      return false;
    }
    read_row();
    labels_.read(record);
    record.columns = columns_;
    record.values = values_;
    record.place = ++read_;
    return true;
  }

 private:
  void read_row() {
    const auto count = static_cast<std::size_t>(features_.row_size());
    for (std::size_t done = 0; done < count;) {
      const std::size_t end = std::min(count, done + piece);
      if (values_.size() < end) {
        values_.resize(end);
        columns_.resize(end);
        std::iota(columns_.begin() + static_cast<std::ptrdiff_t>(done), columns_.end(),
                  static_cast<std::uint32_t>(done));
      }
      features_.read(std::span(values_).subspan(done, end - done));
      done = end;
    }
  }

  static std::int64_t rows_of(const ArrayReader& reader) {
    return reader.shape().empty() ? 0 : reader.shape()[0];
  }

  ArrayReader features_;
  Labels labels_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::int64_t read_ = 0;
};

class CsrRecords : public UniformRecords {
 public:
  CsrRecords(CsrArrays arrays, std::optional<ArrayReader> labels, std::int64_t count)
      : arrays_(std::move(arrays)),
        labels_(std::move(labels), arrays_.starts.size() - 1),
        count_(count) {
    const auto& [starts, indices, data] = arrays_;
    if (starts.shape().size() != 1 || starts.size() < 1 || indices.shape().size() != 1) {
      fail(starts, "'indptr' and 'indices' must be one-dimensional, 'indptr' not empty");
    }
    if (data && data->shape() != indices.shape()) {
      fail(*data, "'data' must have the length of 'indices'");
    }
    previous_ = next_start();
    if (previous_ != 0) fail(starts, "'indptr' must begin with 0");
  }

  bool next(UniformRecord& record) override {
    if (read_ == arrays_.starts.size() - 1) {
      expect_end();
      return false;
    }
    record.outside = read_row();
    labels_.read(record);
    record.columns = features_.columns();
    record.values = features_.values();
    record.place = ++read_;
    return true;
  }

 private:
  std::int64_t next_start() {
    std::int64_t start = 0;
    arrays_.starts.read(std::span(&start, 1));
    return start;
  }

  /// Reads a row; returns the number of features without a column.
  std::int64_t read_row() {
    const std::int64_t start = next_start();
    if (start < previous_ || start > arrays_.indices.size()) {
      fail(arrays_.starts, "'indptr' must ascend to the length of 'indices'");
    }
    auto left = static_cast<std::size_t>(start - previous_);
    previous_ = start;
    features_.clear();
    std::int64_t outside = 0;
    while (left > 0) {
      const std::size_t size = std::min(left, piece);
      left -= size;
      indices_.resize(size);
      arrays_.indices.read(std::span(indices_));
      values_.assign(size, 1.0);
      if (arrays_.data) arrays_.data->read(std::span(values_));
      for (std::size_t k = 0; k < size; ++k) {
        if (indices_[k] >= 0 && indices_[k] < count_) {
          features_.add(static_cast<std::uint32_t>(indices_[k]), values_[k]);
        } else {
          ++outside;
        }
      }
    }
    features_.finish();
    return outside + features_.repeated();
  }

  void expect_end() {
    if (previous_ != arrays_.indices.size()) fail(arrays_.starts, "'indptr' ends before 'indices'");
    arrays_.starts.expect_end();
    arrays_.indices.expect_end();
    if (arrays_.data) arrays_.data->expect_end();
    labels_.expect_end();
  }

  CsrArrays arrays_;
  Labels labels_;
  std::int64_t count_;
  std::int64_t previous_ = 0;
  std::int64_t read_ = 0;
  std::vector<std::int64_t> indices_;
  std::vector<double> values_;
  FeatureList features_;
};

/// The file beside `file` in whose name `part` is replaced by `replacement`.
Path sibling(const Path& file, std::string_view part, std::string_view replacement) {
  std::string name = file.filename().string();
  const auto found = name.rfind(part);
  if (found == std::string::npos) {
    throw base::UsageError("{}: the name of such a file contains '{}'", file.string(), part);
  }
  name.replace(found, part.size(), replacement);
  return file.parent_path() / name;
}

ArrayReader open_array(const Path& file) { return {open_source(file), file.string()}; }

std::optional<ArrayReader> open_labels(const Path& file, TargetUse target) {
  if (target == TargetUse::absent) return std::nullopt;
  return open_array(file);
}

}  // namespace

std::unique_ptr<UniformRecords> dense_records(ArrayReader features,
                                              std::optional<ArrayReader> labels,
                                              std::int64_t count) {
  return std::make_unique<DenseRecords>(std::move(features), std::move(labels), count);
}

std::unique_ptr<UniformRecords> csr_records(CsrArrays arrays, std::optional<ArrayReader> labels,
                                            std::int64_t count) {
  return std::make_unique<CsrRecords>(std::move(arrays), std::move(labels), count);
}

std::unique_ptr<UniformRecords> libsvm_records(std::unique_ptr<ByteSource> source,
                                               const std::string& file_name, std::int64_t count,
                                               std::size_t buffer, std::int64_t index_base) {
  const LibsvmOptions options{.column_count = count,
                              .index_base = index_base,
                              .buffer_size = buffer,
                              .fault = std::numeric_limits<double>::quiet_NaN()};
  return std::make_unique<LibsvmRecords>(std::move(source), file_name, options);
}

std::unique_ptr<UniformRecords> libsvm_of(std::unique_ptr<ByteSource> source,
                                          const std::string& file_name, const Schema& schema) {
  constexpr std::size_t buffer = std::size_t{1} << 20;
  return libsvm_records(std::move(source), file_name, schema.features->count, buffer,
                        schema.format.index_base);
}

std::unique_ptr<UniformRecords> open_libsvm(const Path& file, const Schema& schema,
                                            TargetUse /*target*/) {
  return libsvm_of(open_source(file), file.string(), schema);
}

std::unique_ptr<UniformRecords> open_dense(const Path& file, const Schema& schema,
                                           TargetUse target) {
  ArrayReader features = open_array(file);
  const bool images = file.filename().string().find("images-idx3") != std::string::npos;
  const Path labels =
      images ? sibling(file, "images-idx3", "labels-idx1") : sibling(file, ".npy", ".labels.npy");
  return dense_records(std::move(features), open_labels(labels, target), schema.features->count);
}

std::unique_ptr<UniformRecords> open_csr(const Path& file, const Schema& schema, TargetUse target) {
  CsrArrays arrays{.starts = open_array(file),
                   .indices = open_array(sibling(file, ".indptr.", ".indices.")),
                   .data = std::nullopt};
  const Path data = sibling(file, ".indptr.", ".data.");
  if (std::filesystem::exists(data)) arrays.data.emplace(open_array(data));
  return csr_records(std::move(arrays), open_labels(sibling(file, ".indptr.", ".labels."), target),
                     schema.features->count);
}

std::unique_ptr<UniformRecords> open_whole(const Path& file, const FileKind& kind) {
  Schema schema{.features = UniformFeatures{.count = std::numeric_limits<std::uint32_t>::max()},
                .format = {.kind = &kind, .index_base = 0}};
  if (kind.has_lines) return kind.open(file, schema, TargetUse::required);
  const auto name = file.filename().string();
  const auto has = [&](std::string_view part, std::string_view other) {
    return name.find(part) != std::string::npos &&
           std::filesystem::exists(sibling(file, part, other));
  };
  if (has(".indptr.", ".indices.")) {
    const bool labels = has(".indptr.", ".labels.");
    return open_csr(file, schema, labels ? TargetUse::required : TargetUse::absent);
  }
  const bool labels = has("images-idx3", "labels-idx1") || has(".npy", ".labels.npy");
  schema.features->count = open_array(file).row_size();
  return open_dense(file, schema, labels ? TargetUse::required : TargetUse::absent);
}

std::unique_ptr<UniformRecords> open_uniform(const Path& file, const Schema& schema,
                                             TargetUse target) {
  return schema.format.kind->open(file, schema, target);
}

}  // namespace tacet::data::internal
