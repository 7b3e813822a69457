#include "tacet/data/read/arrow_column.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "tacet/base/error.h"

namespace tacet::data::internal {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// Unaligned, as buffers may be.
template <typename T>
T load(const void* buffer, std::int64_t place) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + place * std::int64_t{sizeof(T)},
              sizeof(T));
  return value;
}

bool bit_at(const void* buffer, std::int64_t place) {
  const unsigned bits = load<unsigned char>(buffer, place / 8);
  return (bits >> (place % 8) & 1U) != 0;
}

std::string_view bytes_at(const void* buffer, std::int64_t from, std::int64_t size) {
  if (size == 0) return {};
  if (size < 0 || from < 0 || buffer == nullptr) {
    throw base::DataError("a text of an Arrow array ends before it begins, or has no bytes");
  }
  return {static_cast<const char*>(buffer) + from, static_cast<std::size_t>(size)};
}

Value read_null(const ArrowArray&, std::int64_t, SpellingRoom&) { return Missing{}; }

Value read_boolean(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  return bit_at(array.buffers[1], place);
}

template <typename T>
Value read_integer(const ArrowArray& array, std::int64_t place, SpellingRoom& room) {
  const T value = load<T>(array.buffers[1], place);
  if constexpr (sizeof(T) == sizeof(std::int64_t) && std::is_unsigned_v<T>) {
    // A number that a signed integer cannot hold becomes a text, so that it keeps all digits.
    if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
      const auto* end = fmt::format_to(room.data(), "{}", value);
      return std::string_view(room.data(), static_cast<std::size_t>(end - room.data()));
    }
  }
  return static_cast<std::int64_t>(value);
}

template <typename T>
Value read_float(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  return load<T>(array.buffers[1], place);
}

/// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of the significand.
Value read_half(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  const auto bits = load<std::uint16_t>(array.buffers[1], place);
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 0x1F) {
    size = fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

template <typename Offset>
Value read_text(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  const auto from = load<Offset>(array.buffers[1], place);
  return bytes_at(array.buffers[2], from, load<Offset>(array.buffers[1], place + 1) - from);
}

/// Reads a value of 16 bytes: its length, and the text itself if that has at most 12 bytes.
/// Otherwise the first 4 bytes of the text, the number of a buffer, and the offset in that buffer.
Value read_view(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  constexpr std::int64_t max_inside = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * place;
  const auto size = load<std::int32_t>(view, 0);
  if (size <= max_inside) return bytes_at(view, 4, size);
  const auto buffer = load<std::int32_t>(view, 2);
  // The last buffer holds the lengths of those before it.
  if (buffer < 0 || buffer >= array.n_buffers - 3) {
    throw base::DataError("a text of an Arrow array is in a buffer that the array has not");
  }
  const std::int64_t from = load<std::int32_t>(view, 3);
  const void* lengths = array.buffers[array.n_buffers - 1];
  if (lengths == nullptr || from + size > load<std::int64_t>(lengths, buffer)) {
    throw base::DataError("a text of an Arrow array ends behind its buffer");
  }
  return bytes_at(array.buffers[2 + buffer], from, size);
}

template <typename T, std::int64_t ticks_per_day>
Value read_day(const ArrowArray& array, std::int64_t place, SpellingRoom&) {
  const std::int64_t ticks = load<T>(array.buffers[1], place);
  const std::int64_t day = ticks / ticks_per_day;
  return Day{ticks % ticks_per_day < 0 ? day - 1 : day};
}

/// Whether metadata, as the interface lays them out, name an extension.
bool has_extension(const char* metadata) {
  const auto next_number = [&metadata] {
    const auto number = load<std::int32_t>(metadata, 0);
    metadata += sizeof(number);
    if (number < 0) throw base::DataError("metadata of the records in memory break off");
    return number;
  };
  const auto next_text = [&] {
    const auto size = static_cast<std::size_t>(next_number());
    const std::string_view text(metadata, size);
    metadata += size;
    return text;
  };
  for (auto entries = next_number(); entries > 0; --entries) {
    if (next_text() == "ARROW:extension:name") return true;
    static_cast<void>(next_text());
  }
  return false;
}

bool is_format(std::string_view given, std::string_view known) {
  const bool further = known.ends_with(':') || known == "tD";  // the unit follows it
  return further ? given.starts_with(known) : given == known;
}

}  // namespace

struct ArrowTypes {
  using enum ValueType::Kind;
  static constexpr std::int64_t seconds = 86400;
  static constexpr std::array known{
      ArrowColumn::Type{"n", "null", any, 0, 0, read_null},
      ArrowColumn::Type{"b", "bool", boolean, 0, 2, read_boolean},
      ArrowColumn::Type{"c", "int8", integer, -8, 2, read_integer<std::int8_t>},
      ArrowColumn::Type{"C", "uint8", integer, 8, 2, read_integer<std::uint8_t>},
      ArrowColumn::Type{"s", "int16", integer, -16, 2, read_integer<std::int16_t>},
      ArrowColumn::Type{"S", "uint16", integer, 16, 2, read_integer<std::uint16_t>},
      ArrowColumn::Type{"i", "int32", integer, -32, 2, read_integer<std::int32_t>},
      ArrowColumn::Type{"I", "uint32", integer, 32, 2, read_integer<std::uint32_t>},
      ArrowColumn::Type{"l", "int64", integer, -64, 2, read_integer<std::int64_t>},
      ArrowColumn::Type{"L", "uint64", integer, 64, 2, read_integer<std::uint64_t>},
      ArrowColumn::Type{"e", "float16", real, 16, 2, read_half},
      ArrowColumn::Type{"f", "float32", real, 32, 2, read_float<float>},
      ArrowColumn::Type{"g", "float64", real, 64, 2, read_float<double>},
      ArrowColumn::Type{"u", "utf8", text, 0, 3, read_text<std::int32_t>},
      ArrowColumn::Type{"U", "large_utf8", text, 0, 3, read_text<std::int64_t>},
      ArrowColumn::Type{"vu", "utf8_view", text, 0, 3, read_view},
      ArrowColumn::Type{"tdD", "date32", day, 0, 2, read_day<std::int32_t, 1>},
      ArrowColumn::Type{"tdm", "date64", day, 0, 2, read_day<std::int64_t, seconds * 1000>},
      ArrowColumn::Type{"tss:", "timestamp", day, 0, 2, read_day<std::int64_t, seconds>},
      ArrowColumn::Type{"tsm:", "timestamp", day, 0, 2, read_day<std::int64_t, seconds * 1000>},
      ArrowColumn::Type{"tsu:", "timestamp", day, 0, 2, read_day<std::int64_t, seconds * 1000000>},
      ArrowColumn::Type{"tsn:", "timestamp", day, 0, 2,
                        read_day<std::int64_t, seconds * 1000000000>},
      ArrowColumn::Type{"+s", "struct", unreadable, 0, 1, nullptr},
      ArrowColumn::Type{"+l", "list", list, 32, 2, nullptr},
      ArrowColumn::Type{"+L", "large_list", list, 64, 2, nullptr},
      ArrowColumn::Type{"+w:", "fixed_size_list", list, 0, 1, nullptr},
      ArrowColumn::Type{"+vl", "list_view", unreadable, 0, 1, nullptr},
      ArrowColumn::Type{"+vL", "large_list_view", unreadable, 0, 1, nullptr},
      ArrowColumn::Type{"+m", "map", unreadable, 0, 1, nullptr},
      ArrowColumn::Type{"d:", "decimal", any, 0, 2, nullptr},
      ArrowColumn::Type{"z", "binary", unreadable, 0, 3, nullptr},
      ArrowColumn::Type{"Z", "large_binary", unreadable, 0, 3, nullptr},
      ArrowColumn::Type{"vz", "binary_view", unreadable, 0, 3, nullptr},
      ArrowColumn::Type{"tD", "duration", unreadable, 0, 2, nullptr},
  };

  static ArrowColumn::Type of(std::string_view format) {
    for (const auto& type : known) {
      if (is_format(format, type.format)) return type;
    }
    return {"", "unknown", unreadable, 0, 0, nullptr};
  }
};

bool is_valid(const ArrowArray& array, std::int64_t place) {
  const bool has_bitmap = array.null_count != 0 && array.n_buffers > 0 &&
                          array.buffers != nullptr && array.buffers[0] != nullptr;
  return !has_bitmap || bit_at(array.buffers[0], place);
}

ArrowColumn::ArrowColumn(const ArrowSchema& type) : type_() {
  if (type.release == nullptr || type.format == nullptr) {
    throw base::DataError("a column of the records in memory has no type");
  }
  type_ = ArrowTypes::of(type.format);
  // An extension type means something else than its storage type.
  if (type.metadata != nullptr && has_extension(type.metadata)) {
    type_ = {"", "an extension type", ValueType::Kind::unreadable, 0, 0, nullptr};
    return;
  }
  if (type_.kind == ValueType::Kind::list) {
    open_list_type(type);
    return;
  }
  if (std::string_view(type_.format) == "d:") {
    open_decimal_type(type.format);
    return;
  }
  if (type.dictionary == nullptr) return;
  if (type_.kind != ValueType::Kind::integer) {
    type_ = {"", "a dictionary without integer codes", ValueType::Kind::unreadable, 0, 0, nullptr};
    return;
  }
  dictionary_ = std::make_unique<ArrowColumn>(*type.dictionary);
}

void ArrowColumn::open_list_type(const ArrowSchema& type) {
  using Kind = ValueType::Kind;
  if (type.n_children != 1 || type.children == nullptr || type.children[0] == nullptr) {
    throw base::DataError("a column of lists has no type of values");
  }
  entries_ = std::make_unique<ArrowColumn>(*type.children[0]);
  const auto kind = entries_->type().kind;
  if (kind == Kind::day || kind == Kind::list || kind == Kind::unreadable) {
    type_ = {"", "a list of what is no number and no text", Kind::unreadable, 0, 0, nullptr};
    entries_ = nullptr;
    return;
  }
  if (type_.bits != 0) return;
  const std::string_view size = std::string_view(type.format).substr(3);
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), fixed_size_);
  if (error != std::errc() || end != size.data() + size.size() || fixed_size_ < 0) {
    throw base::DataError("a column of lists of one size does not say which");
  }
}

/// Reads "d:precision,scale", which has 128 bits, or has the number of bits after it.
void ArrowColumn::open_decimal_type(std::string_view format) {
  const auto* next = format.data() + 2;
  const auto* const end = format.data() + format.size();
  const auto number = [&](int& value) {
    const auto [behind, error] = std::from_chars(next, end, value);
    const bool ends = behind == end || *behind == ',';
    if (error != std::errc() || !ends) {
      throw base::DataError("a column of decimals does not say how many digits they have");
    }
    next = behind == end ? end : behind + 1;
  };
  int precision = 0;
  int bits = 128;
  number(precision);
  number(scale_);
  if (next != end) number(bits);
  constexpr int max_digits = 38;  // 128 bits hold this many; and the room for a spelling
  const bool readable = (bits == 32 || bits == 64 || bits == 128) && precision >= 1 &&
                        precision <= max_digits && scale_ >= 0 && scale_ < max_digits;
  if (readable) {
    decimal_bits_ = bits;
  } else {
    type_ = {"",     "a decimal of other digits than 38 at most", ValueType::Kind::unreadable, 0, 0,
             nullptr};
  }
}

ValueType ArrowColumn::type() const {
  if (entries_) return {.kind = type_.kind, .name = type_.name + (" of " + entries_->type().name)};
  if (!dictionary_) {
    return {.kind = type_.kind,
            .bits = std::abs(type_.bits),
            .is_signed = type_.bits < 0,
            .name = type_.name};
  }
  auto type = dictionary_->type();
  type.name = "dictionary of " + type.name;
  return type;
}

void ArrowColumn::open(const ArrowArray* array) {
  if (array == nullptr || array->release == nullptr) {
    throw base::DataError("an array of the records in memory is none, or was given back");
  }
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  const bool has_places =
      array->length >= 0 && array->offset >= 0 && array->length <= max - array->offset;
  // Views may have any number of buffers. For other types, another number shows that the array has
  // another type.
  const bool has_views = type_.read == read_view;
  const bool as_many = has_views || type_.buffers == 0 || array->n_buffers == type_.buffers;
  const bool has_buffers =
      array->n_buffers >= type_.buffers && as_many &&
      (type_.buffers == 0 || array->buffers != nullptr) &&
      (type_.buffers < 2 || array->length == 0 || array->buffers[1] != nullptr);
  if (!has_places || !has_buffers) {
    throw base::DataError("an Arrow array of type {} has not the buffers of that type",
                          type().name);
  }
  array_ = array;
  if (dictionary_) dictionary_->open(array->dictionary);
  if (!entries_) return;
  if (array->n_children != 1 || array->children == nullptr) {
    throw base::DataError("an Arrow array of type {} lacks the values of its lists", type().name);
  }
  entries_->open(array->children[0]);
}

Value ArrowColumn::at(std::int64_t row) const {
  if (row < 0 || row >= array_->length) {
    throw base::DataError(
        "an Arrow array is shorter than its batch, or its dictionary lacks a code");
  }
  const auto place = array_->offset + row;
  if (!is_valid(*array_, place)) return Missing{};
  if (entries_) return list_at(place);
  if (decimal_bits_ != 0) return decimal_at(place);
  const auto value = type_.read(*array_, place, room_);
  if (!dictionary_) return value;
  const auto* code = std::get_if<std::int64_t>(&value);
  return dictionary_->at(code == nullptr ? -1 : *code);
}

/// Its digits, without zeros at the end of a fraction, so that equal numbers have equal spellings.
Value ArrowColumn::decimal_at(std::int64_t place) const {
  const void* buffer = array_->buffers[1];
  Wide value = 0;
  if (decimal_bits_ == 32) {
    value = load<std::int32_t>(buffer, place);
  } else if (decimal_bits_ == 64) {
    value = load<std::int64_t>(buffer, place);
  } else {
    value = load<Wide>(buffer, place);
  }
  int scale = scale_;
  for (; scale > 0 && value % 10 == 0; --scale) value /= 10;
  const bool negative = value < 0;
  auto rest = negative ? -static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
  // Written from the last digit to the first, with at least one before the point.
  char* const end = room_.data() + room_.size();
  char* begin = end;
  for (int digit = 0; rest != 0 || digit <= scale; ++digit) {
    const bool has_point = digit == scale && scale > 0;
    if (begin - room_.data() < (has_point ? 3 : 2)) {  // there is room for a sign
      throw base::DataError("a decimal of an Arrow array has more digits than its type");
    }
    if (has_point) *--begin = '.';
    *--begin = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (negative) *--begin = '-';
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

List ArrowColumn::list_at(std::int64_t place) const {
  std::int64_t from = 0;
  std::int64_t end = 0;
  if (type_.bits == 32) {
    from = load<std::int32_t>(array_->buffers[1], place);
    end = load<std::int32_t>(array_->buffers[1], place + 1);
  } else if (type_.bits == 64) {
    from = load<std::int64_t>(array_->buffers[1], place);
    end = load<std::int64_t>(array_->buffers[1], place + 1);
  } else if (fixed_size_ > 0) {
    if (place >= std::numeric_limits<std::int64_t>::max() / fixed_size_) {
      throw base::DataError("a list of an Arrow array ends behind its values");
    }
    from = place * fixed_size_;
    end = from + fixed_size_;
  }
  if (from < 0 || end < from || end > entries_->array_->length) {
    throw base::DataError("a list of an Arrow array ends behind its values, or before it begins");
  }
  items_.clear();
  item_texts_.clear();
  for (auto row = from; row < end; ++row) {
    auto value = entries_->at(row);
    // A text that was written into the room is valid only until the next value.
    const auto* text = std::get_if<std::string_view>(&value);
    if (text != nullptr && !text->empty() && entries_->wrote(*text)) {
      value = std::string_view(item_texts_.emplace_back(*text));
    }
    items_.push_back({value});
  }
  return {items_.data(), items_.size()};
}

bool ArrowColumn::wrote(std::string_view text) const {
  const std::less_equal<const char*> before;  // a text may begin anywhere in the room
  const bool inside =
      before(room_.data(), text.data()) && before(text.data(), room_.data() + room_.size());
  return inside || (dictionary_ && dictionary_->wrote(text));
}

}  // namespace tacet::data::internal
