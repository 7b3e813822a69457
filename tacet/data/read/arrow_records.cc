#include "tacet/data/read/arrow_records.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/read/arrow_column.h"

namespace tacet::data {
namespace {

using internal::ArrowColumn;

/// One of the interface's structs, given back when it is not needed any more.
template <typename Struct>
class Held {
 public:
  Held() = default;
  /// Takes it over.
  explicit Held(Struct& given) : held_(std::exchange(given, Struct{})) {}
  Held(Held&& other) noexcept : held_(std::exchange(other.held_, Struct{})) {}
  Held& operator=(Held&&) = delete;
  ~Held() { release(); }

  void release() {
    if (held_.release != nullptr) held_.release(&held_);
    held_ = Struct{};
  }
  [[nodiscard]] bool empty() const { return held_.release == nullptr; }
  Struct* operator->() { return &held_; }
  Struct& operator*() { return held_; }

 private:
  Struct held_{};
};

}  // namespace

class ArrowRecords::Implementation {
 public:
  Implementation(ArrowArrayStream& stream, const Schema& schema, TargetUse target)
      : stream_(stream) {
    if (stream_.empty() || stream_->get_schema == nullptr || stream_->get_next == nullptr) {
      throw base::DataError("the records in memory are a stream that was read before, or is none");
    }
    check(stream_->get_schema(&*stream_, &*type_));
    const bool has_type = !type_.empty() && type_->format != nullptr;
    if (!has_type || std::string_view(type_->format) != "+s" || type_->n_children < 0 ||
        (type_->n_children > 0 && type_->children == nullptr)) {
      throw base::DataError("the records in memory are no table of columns");
    }
    for (std::int64_t k = 0; k < type_->n_children; ++k) {
      const auto* child = type_->children[k];
      if (child == nullptr) throw base::DataError("a column of the records in memory has no type");
      names_.emplace_back(child->name == nullptr ? "" : child->name);
      add(schema, target, names_.back(), ArrowColumn(*child));
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  bool next(std::span<Value> values) {
    while (batch_.empty() || row_ == batch_->length) {
      if (!next_batch()) return false;
    }
    const auto place = batch_->offset + row_;
    // A record that is null itself holds nothing, whatever stands in its columns.
    const bool there = internal::is_valid(*batch_, place);
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = there && columns_[k].read ? columns_[k].column.at(place) : Missing{};
    }
    ++row_;
    return true;
  }

 private:
  struct Slot {
    ArrowColumn column;
    bool read;
  };

  /// The library behind the stream may word its errors by values: they stay unsaid.
  static void check(int error) {
    if (error != 0) {
      throw base::DataError("the records in memory could not be read (error {} of their library)",
                            error);
    }
  }

  void add(const Schema& schema, TargetUse target, const std::string& name, ArrowColumn column) {
    check_type(schema, target, name, column.type());
    const auto features = schema.feature_columns();
    bool read = std::ranges::find(features, name) != features.end();
    if (target == TargetUse::required) {
      read = read || (schema.target && schema.target->column == name) || schema.unit == name;
    }
    columns_.push_back({std::move(column), read});
  }

  bool next_batch() {
    batch_.release();
    row_ = 0;
    check(stream_->get_next(&*stream_, &*batch_));
    if (batch_.empty()) return false;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (batch_->n_children != static_cast<std::int64_t>(columns_.size()) ||
        (batch_->n_children > 0 && batch_->children == nullptr) || batch_->offset < 0 ||
        batch_->length < 0 || batch_->length > most - batch_->offset) {
      throw base::DataError("a batch of the records in memory has other columns than their type");
    }
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k].read) columns_[k].column.open(batch_->children[k]);
    }
    return true;
  }

  Held<ArrowArrayStream> stream_;
  Held<ArrowSchema> type_;
  Held<ArrowArray> batch_;
  std::vector<std::string> names_;
  std::vector<Slot> columns_;
  std::int64_t row_ = 0;
};

ArrowRecords::ArrowRecords(ArrowArrayStream& stream, const Schema& schema, TargetUse target)
    : implementation_(std::make_unique<Implementation>(stream, schema, target)) {}
ArrowRecords::~ArrowRecords() = default;
ArrowRecords::ArrowRecords(ArrowRecords&&) noexcept = default;
ArrowRecords& ArrowRecords::operator=(ArrowRecords&&) noexcept = default;

const std::vector<std::string>& ArrowRecords::names() const { return implementation_->names(); }
bool ArrowRecords::next(std::span<Value> values) { return implementation_->next(values); }

}  // namespace tacet::data
