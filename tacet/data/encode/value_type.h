#pragma once

#include <string>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The type of a column in memory. It is public, whatever the values are.
struct ValueType {
  enum class Kind {
    any,  ///< each value has its own type, or all are missing
    boolean,
    integer,
    real,
    text,
    day,        ///< dates and timestamps
    list,       ///< lists of numbers, texts or booleans
    unreadable  ///< none of these, and not a single number, text or date
  };
  Kind kind = Kind::any;
  int bits = 64;          ///< size of an integer or a real
  bool is_signed = true;  ///< of an integer
  std::string name = {};  ///< as people call it: "int64", "dictionary of utf8"
};

/// Whether some value of the type equals exactly what the text spells: no float32 is 0.1, no
/// float64 is 2^53 + 1, no int8 is 300.
[[nodiscard]] bool can_be(std::string_view text, const ValueType& type);

/// Refuses a column whose type cannot contain values that the schema reads in the column `name`:
/// dates in a column that is not for dates, numbers in a column of dates, whole numbers or booleans
/// if no category is one, lists and similar types, and a target of which fewer than two classes can
/// occur. DataError, which names column and type.
void check_type(const Schema& schema, TargetUse target, const std::string& name,
                const ValueType& type);

/// As check_type(), for the labels of a schema with numbered features.
void check_label_type(const Target& target, const ValueType& type);

}  // namespace tacet::data
