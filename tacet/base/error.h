#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tacet::base {

/// What went wrong, in the terms a caller acts on. The values are the program's exit codes.
enum class ErrorKind : int {
  internal = 1,      ///< a broken invariant of tacet itself
  usage = 2,         ///< an option or argument that makes no sense
  data = 3,          ///< a file whose structure cannot be read
  budget = 4,        ///< the privacy budget does not allow it
  guarantee = 5,     ///< no guarantee can be proved for what was asked
  numeric = 6,       ///< a computation that cannot be certified
  io = 7,            ///< the operating system refused a read or a write
  interrupted = 130  ///< stopped by the user
};

/// Base of every exception tacet throws. The text says where, what was given, what is allowed,
/// and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// An error of one kind.
template <ErrorKind kind_value>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(kind_value, message) {}
  /// With the values in the places of the text, as fmt::format puts them there.
  template <typename First, typename... Rest>
  ErrorOf(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : Error(kind_value,
              fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// A broken invariant of tacet itself.
using InternalError = ErrorOf<ErrorKind::internal>;
/// An argument that makes no sense.
using UsageError = ErrorOf<ErrorKind::usage>;
/// A file or table whose structure cannot be read.
using DataError = ErrorOf<ErrorKind::data>;
/// The privacy budget does not allow it.
using BudgetError = ErrorOf<ErrorKind::budget>;
/// No guarantee can be proved for what was asked.
using GuaranteeError = ErrorOf<ErrorKind::guarantee>;
/// A computation that cannot be certified.
using NumericError = ErrorOf<ErrorKind::numeric>;
/// The operating system refused a read or a write.
using IoError = ErrorOf<ErrorKind::io>;
/// Stopped by the user.
using Interrupted = ErrorOf<ErrorKind::interrupted>;

}  // namespace tacet::base
