#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::optimize {

/// What one part answers to one request: integers that are as private as its records, the number of
/// these included. Its bytes leave a worker sealed (seal.h).
struct PartAnswer {
  std::string request;  ///< digest_of the request that it answers
  std::string version;  ///< of tacet
  std::int64_t part = 0;
  /// In place of all that follows: the kind of an error that ended the work, never its text, which
  /// may quote values.
  std::string failure = {};
  std::int64_t rows = 0;
  std::string records = {};  ///< a digest of them, keyed for the run
  /// As many as the request alone says, so that the length of an answer tells nothing.
  std::vector<std::int64_t> sums = {};

  [[nodiscard]] std::string to_bytes() const;
  /// DataError for anything else.
  [[nodiscard]] static PartAnswer from_bytes(std::string_view bytes);
};

}  // namespace tacet::optimize
