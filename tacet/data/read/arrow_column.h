#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/encode/value.h"
#include "tacet/data/encode/value_type.h"
#include "tacet/data/read/arrow_interface.h"

namespace tacet::data::internal {

/// Whether an array has a value at a place, counted from the beginning of its buffers, by its
/// bitmap of nulls.
[[nodiscard]] bool is_valid(const ArrowArray& array, std::int64_t place);

/// Reads single values of arrays of one Arrow type.
class ArrowColumn {
 public:
  /// DataError for a type that was released or has no format.
  explicit ArrowColumn(const ArrowSchema& type);

  /// The type of the values, or of a dictionary's values. Lists contain numbers, booleans or texts.
  [[nodiscard]] ValueType type() const;

  /// Opens an array of the type, which must stay valid until the next one. DataError if it is null,
  /// was released, or lacks buffers of its type.
  void open(const ArrowArray* array);
  /// The value at a place of the array opened, a text or a list until the next call; missing if it
  /// is null. DataError for a place beyond its end, for a code that its dictionary lacks, and for a
  /// list that exceeds its values.
  [[nodiscard]] Value at(std::int64_t row) const;

 private:
  /// Reads the value at a place, counted from the beginning of the buffers. `room` is for texts
  /// that the buffers do not contain.
  using Read = Value (*)(const ArrowArray& array, std::int64_t place, SpellingRoom& room);
  struct Type {
    const char* format;  ///< as the interface writes it; a prefix if it ends with ':'
    const char* name;
    ValueType::Kind kind;
    int bits;              ///< of a number; negative if it has a sign
    std::int64_t buffers;  ///< the smallest number of them, the bitmap of nulls included
    Read read;
  };
  friend struct ArrowTypes;

  /// Takes the type of a list's values.
  void open_list_type(const ArrowSchema& type);
  [[nodiscard]] List list_at(std::int64_t place) const;
  /// Takes the scale and the width of a decimal's type.
  void open_decimal_type(std::string_view format);
  [[nodiscard]] Value decimal_at(std::int64_t place) const;
  /// Whether a text is in the column's own room.
  [[nodiscard]] bool wrote(std::string_view text) const;

  Type type_;
  std::unique_ptr<ArrowColumn> dictionary_;
  const ArrowArray* array_ = nullptr;
  mutable SpellingRoom room_{};
  std::unique_ptr<ArrowColumn> entries_;  // of lists
  std::int64_t fixed_size_ = 0;           // of lists that all have the same length
  int decimal_bits_ = 0;                  // 0: not a decimal type
  int scale_ = 0;                         // digits after the point
  mutable std::vector<ListItem> items_;
  mutable std::deque<std::string> item_texts_;  // texts that the array does not contain
};

}  // namespace tacet::data::internal
