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

/// Refuses a column whose type cannot hold values that the schema reads in the column `name`: dates
/// in a column that is not one of dates, numbers in one that is, whole numbers or booleans in one
/// whose categories are none, lists and the like, and a target of whose classes fewer than two can
/// occur. The DataError names column and type.
void check_type(const Schema& schema, TargetUse target, const std::string& name,
                const ValueType& type);

/// The same for the labels of a schema with numbered features.
void check_label_type(const Target& target, const ValueType& type);

}  // namespace tacet::data
