#include "tacet/data/read/arrow_records.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/read/arrow_column.h"

namespace tacet::data {
namespace {

using internal::ArrowColumn;

/// One of the interface's structs, released when it is no longer needed.
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
  Implementation(ArrowArrayStream& stream, Passes passes) : stream_(stream), passes_(passes) {
    if (stream_.empty() || stream_->get_schema == nullptr || stream_->get_next == nullptr) {
      throw base::DataError("the records in memory are a stream that was read before, or is none");
    }
    if (const int error = stream_->get_schema(&*stream_, &*type_); error != 0) {
      throw base::DataError("the stream of records does not say its columns ({}){}",
                            std::strerror(error), unsaid);
    }
    const bool has_type = !type_.empty() && type_->format != nullptr;
    if (!has_type || std::string_view(type_->format) != "+s" || type_->n_children < 0 ||
        (type_->n_children > 0 && type_->children == nullptr)) {
      throw base::DataError("the records in memory are no table of columns");
    }
    for (std::int64_t k = 0; k < type_->n_children; ++k) {
      const auto* child = type_->children[k];
      if (child == nullptr) throw base::DataError("a column of the records in memory has no type");
      names_.emplace_back(child->name == nullptr ? "" : child->name);
      ArrowColumn column(*child);
      const bool readable = column.type().kind != ValueType::Kind::unreadable;
      columns_.push_back({.column = std::move(column), .read = readable});
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::vector<ValueType> types() const {
    std::vector<ValueType> types;
    for (const auto& slot : columns_) types.push_back(slot.column.type());
    return types;
  }

  void read_by(const Schema& schema, TargetUse target, FurtherColumns further) {
    const auto features = schema.feature_columns();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto& name = names_[k];
      const auto type = columns_[k].column.type();
      check_type(schema, target, name, type);
      bool read = std::ranges::find(features, name) != features.end();
      if (target == TargetUse::required) {
        read = read || (schema.target && schema.target->column == name) || schema.unit == name;
      }
      const bool given =
          further == FurtherColumns::given && type.kind != ValueType::Kind::unreadable;
      columns_[k].read = read || given;
    }
  }

  bool next(std::span<Value> values) {
    while (batch_ == nullptr || row_ == batch_->length) {
      if (!next_batch()) return false;
    }
    const auto place = batch_->offset + row_;
    // A record that is null has no values, whatever its columns contain.
    const bool there = internal::is_valid(*batch_, place);
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = there && columns_[k].read ? columns_[k].column.at(place) : Missing{};
    }
    ++row_;
    return true;
  }

  void restart() {
    if (passes_ == Passes::once && taken_ > 0) {
      throw base::InternalError("a stream of records is read a second time");
    }
    batch_ = nullptr;
    next_ = 0;
  }

 private:
  struct Slot {
    ArrowColumn column;
    bool read;
  };

  /// Follows an error from the library that made the stream.
  static constexpr std::string_view unsaid =
      "; what its library says may quote a value, and is left out";

  bool next_batch() {
    batch_ = nullptr;
    row_ = 0;
    if (next_ == held_.size() && !take_batch()) return false;
    auto& batch = held_[next_++];
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    if (batch->n_children != static_cast<std::int64_t>(columns_.size()) ||
        (batch->n_children > 0 && batch->children == nullptr) || batch->offset < 0 ||
        batch->length < 0 || batch->length > max - batch->offset) {
      throw base::DataError("batch {} of the records in memory has other columns than their type",
                            passes_ == Passes::once ? taken_ : static_cast<std::int64_t>(next_));
    }
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k].read) columns_[k].column.open(batch->children[k]);
    }
    batch_ = &*batch;
    return true;
  }

  /// Takes the stream's next batch; false at its end.
  bool take_batch() {
    if (ended_) return false;
    if (passes_ == Passes::once) {
      held_.clear();
      next_ = 0;
    }
    Held<ArrowArray> batch;
    ++taken_;
    if (const int error = stream_->get_next(&*stream_, &*batch); error != 0) {
      throw base::DataError(
          "the stream of records failed in batch {} ({}{}){}", taken_, std::strerror(error),
          error == EINVAL ? ": a batch may have another type than the stream" : "", unsaid);
    }
    ended_ = batch.empty();
    if (!ended_) held_.push_back(std::move(batch));
    return !ended_;
  }

  Held<ArrowArrayStream> stream_;
  Passes passes_;
  Held<ArrowSchema> type_;
  std::deque<Held<ArrowArray>> held_;  // batches of the pass that is being read
  std::size_t next_ = 0;               // among them
  std::int64_t taken_ = 0;             // number of batches that were taken from the stream
  bool ended_ = false;                 // the stream
  const ArrowArray* batch_ = nullptr;
  std::vector<std::string> names_;
  std::vector<Slot> columns_;
  std::int64_t row_ = 0;
};

ArrowRecords::ArrowRecords(ArrowArrayStream& stream, Passes passes)
    : implementation_(std::make_unique<Implementation>(stream, passes)) {}
ArrowRecords::ArrowRecords(ArrowArrayStream& stream, const Schema& schema, TargetUse target)
    : ArrowRecords(stream) {
  read_by(schema, target);
}
ArrowRecords::~ArrowRecords() = default;
ArrowRecords::ArrowRecords(ArrowRecords&&) noexcept = default;
ArrowRecords& ArrowRecords::operator=(ArrowRecords&&) noexcept = default;

const std::vector<std::string>& ArrowRecords::names() const { return implementation_->names(); }
std::vector<ValueType> ArrowRecords::types() const { return implementation_->types(); }
void ArrowRecords::read_by(const Schema& schema, TargetUse target, FurtherColumns further) {
  implementation_->read_by(schema, target, further);
}
bool ArrowRecords::next(std::span<Value> values) { return implementation_->next(values); }
void ArrowRecords::restart() { implementation_->restart(); }

}  // namespace tacet::data
