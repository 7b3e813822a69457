#pragma once

#include <string>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// What the values of a column in memory can be, as its type says: that is public, whatever the
/// values are.
struct ValueType {
  enum class Kind {
    any,  ///< each value has a type of its own, or all are missing
    boolean,
    integer,
    real,
    text,
    day,        ///< dates and timestamps
    list,       ///< lists of numbers, texts or booleans
    unreadable  ///< neither these nor a single number, text or date
  };
  Kind kind = Kind::any;
  int bits = 64;          ///< of an integer or a real
  bool is_signed = true;  ///< of an integer
  std::string name = {};  ///< as people call it: "int64", "dictionary of utf8"
};

/// Whether a value of the type can equal what the text spells, exactly: 0.1 is no float32, 2^53 + 1
/// no float64, 300 no int8.
[[nodiscard]] bool can_be(std::string_view text, const ValueType& type);

/// DataError, which names column and type, where the schema reads the column `name` and no value of
/// that type is one: a date outside of columns of dates, a number in one of these, what is no
/// single value, and a target of which fewer than two classes can be values.
void check_type(const Schema& schema, TargetUse target, const std::string& name,
                const ValueType& type);

/// The same of labels that stand beside numbered features.
void check_label_type(const Target& target, const ValueType& type);

}  // namespace tacet::data
