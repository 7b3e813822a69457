#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::data {

/// A structural fault of a file of lines, `file:line:column: message`, counted from 1. A reader of
/// a part of a file counts from the beginning of that part; `moved` corrects the line afterwards.
class LineFault : public base::DataError {
 public:
  LineFault(std::string file, std::int64_t line, std::int64_t column, std::string message)
      : base::DataError("{}:{}:{}: {}", file, line, column, message),
        file_(std::move(file)),
        line_(line),
        column_(column),
        message_(std::move(message)) {}

  /// The same, so many lines further down.
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
