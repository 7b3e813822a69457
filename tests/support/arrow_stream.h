#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/read/arrow_interface.h"

/// For tests: streams of the Arrow C data interface that are built by hand, also wrong ones.
namespace tacet::test {

/// An array built by hand with everything that it points to.
struct ArrayByHand {
  std::string format;
  std::string name = "x";
  std::vector<std::string> buffers;  // bytes; the first one holds the bits of values that are there
  std::int64_t length = 0;
  std::int64_t offset = 0;
  std::vector<ArrayByHand> children = {};
  std::vector<ArrayByHand> dictionary = {};  // one at most
  std::string metadata = {};
};

template <typename T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Hands out batches; counts what is not given back.
class ArrowStreamByHand {
 public:
  explicit ArrowStreamByHand(std::vector<ArrayByHand> batches) : batches_(std::move(batches)) {
    stream.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) { return self(s).type(out); };
    stream.get_next = [](ArrowArrayStream* s, ArrowArray* out) { return self(s).next(out); };
    stream.get_last_error = [](ArrowArrayStream*) { return "secret 42"; };
    stream.release = [](ArrowArrayStream* s) {
      --self(s).held;
      s->release = nullptr;
    };
    stream.private_data = this;
    ++held;
  }
  ArrowStreamByHand(const ArrowStreamByHand&) = delete;
  ArrowStreamByHand& operator=(const ArrowStreamByHand&) = delete;

  ArrowArrayStream stream{};
  int held = 0;
  int failing_batch = -1;
  /// What is wrong with what is handed out.
  std::function<void(ArrowSchema&)> spoil_type = [](ArrowSchema&) {};
  std::function<void(ArrowArray&)> spoil_batch = [](ArrowArray&) {};

 private:
  static ArrowStreamByHand& self(ArrowArrayStream* s) {
    return *static_cast<ArrowStreamByHand*>(s->private_data);
  }

  ArrowSchema describe(const ArrayByHand& array) {
    ArrowSchema type{};
    type.format = array.format.c_str();
    type.name = array.name.c_str();
    type.release = [](ArrowSchema* s) { s->release = nullptr; };
    if (!array.metadata.empty()) type.metadata = array.metadata.c_str();
    auto& children = type_children_.emplace_back();
    for (const auto& child : array.children) {
      children.push_back(&types_.emplace_back(describe(child)));
    }
    type.children = children.data();
    type.n_children = std::ssize(children);
    if (!array.dictionary.empty())
      type.dictionary = &types_.emplace_back(describe(array.dictionary[0]));
    return type;
  }
  ArrowArray hold(const ArrayByHand& array) {
    ArrowArray held_array{};
    held_array.release = [](ArrowArray* a) { a->release = nullptr; };
    held_array.length = array.length;
    held_array.offset = array.offset;
    auto& pointers = pointers_.emplace_back();
    for (const auto& buffer : array.buffers) {
      pointers.push_back(buffer.empty() ? nullptr : buffer.data());
    }
    held_array.null_count = !array.buffers.empty() && !array.buffers[0].empty() ? -1 : 0;
    held_array.buffers = pointers.data();
    held_array.n_buffers = std::ssize(pointers);
    auto& children = array_children_.emplace_back();
    for (const auto& child : array.children) children.push_back(&arrays_.emplace_back(hold(child)));
    held_array.children = children.data();
    held_array.n_children = std::ssize(children);
    if (!array.dictionary.empty()) {
      held_array.dictionary = &arrays_.emplace_back(hold(array.dictionary[0]));
    }
    return held_array;
  }
  int type(ArrowSchema* out) {
    *out = describe(batches_.front());
    out->private_data = this;
    out->release = [](ArrowSchema* s) {
      --static_cast<ArrowStreamByHand*>(s->private_data)->held;
      s->release = nullptr;
    };
    ++held;
    spoil_type(*out);
    return 0;
  }
  int next(ArrowArray* out) {
    if (next_ == failing_batch) return 5;
    *out = {};
    if (next_ == std::ssize(batches_)) return 0;
    *out = hold(batches_[static_cast<std::size_t>(next_++)]);
    out->private_data = this;
    out->release = [](ArrowArray* a) {
      --static_cast<ArrowStreamByHand*>(a->private_data)->held;
      a->release = nullptr;
    };
    ++held;
    spoil_batch(*out);
    return 0;
  }

  std::vector<ArrayByHand> batches_;
  int next_ = 0;
  std::deque<ArrowSchema> types_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<ArrowSchema*>> type_children_;
  std::deque<std::vector<ArrowArray*>> array_children_;
  std::deque<std::vector<const void*>> pointers_;
};

}  // namespace tacet::test
