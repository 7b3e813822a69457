#pragma once

#include <string>

namespace tacet::model::internal {

/// Which of the functions below a model needs; compilers warn of those that are not called.
struct CRuntimeParts {
  bool shares = false;      ///< numbers with a line, hat functions or a logarithm
  bool logarithms = false;  ///< log(1 + x)
  bool hats = false;        ///< hat functions
  bool bins = false;
  bool periods = false;  ///< sine and cosine
  bool clamped = false;  ///< numbers cut to bounds
  bool words = false;    ///< categories
  bool numbers = false;  ///< categories that are numbers, in any spelling
  bool hashes = false;   ///< the public hash
  bool crossed = false;  ///< the public hash of several values
};

/// C99 functions that do the same as the encoder, in the same order of operations.
[[nodiscard]] std::string c_runtime(const CRuntimeParts& parts);

/// Functions from features to integers and margins.
[[nodiscard]] std::string c_row_functions();

}  // namespace tacet::model::internal
