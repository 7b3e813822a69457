#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The spelling of a file in the words of a user who asks for a schema; the members have the names
/// of a schema's keys. Empty texts state nothing. The methods throw UsageError for a value that a
/// key cannot have.
struct SpellingWords {
  std::string decimal{};               ///< "." or ","
  std::string thousands{};             ///< between groups of three digits
  std::vector<std::string> symbols{};  ///< symbols beside numbers that are dropped
  std::string encoding{};              ///< one of encoding_names()
  std::string date_format{};           ///< such as %d.%m.%Y
  std::string comment{};               ///< one character
  std::vector<std::string> missing{};  ///< further texts for a missing value

  /// Writes everything but the missing values into the format of a file.
  void apply(FileFormat& format) const;
  /// What guesses of the encoding and of comments begin with.
  [[nodiscard]] KnownFormat known() const;
  /// What guesses from the values may not override.
  [[nodiscard]] SaidSpelling said() const;
};

}  // namespace tacet::data
