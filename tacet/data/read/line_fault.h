#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::data {

/// A structural fault in a text file, `file:line:column: message`, counted from 1. If a reader
/// reads a part of a file, it counts from the beginning of that part, and moved() corrects the line
/// later.
class LineFault : public base::DataError {
 public:
  LineFault(std::string file, std::int64_t line, std::int64_t column, std::string message)
      : base::DataError("{}:{}:{}: {}", file, line, column, message),
        file_(std::move(file)),
        line_(line),
        column_(column),
        message_(std::move(message)) {}

  /// The same fault, with that many lines added.
  [[nodiscard]] LineFault moved(std::int64_t lines) const {
    return {file_, line_ + lines, column_, message_};
  }

 private:
  std::string file_;
  std::int64_t line_;
  std::int64_t column_;
  std::string message_;
};

}  // namespace tacet::data
