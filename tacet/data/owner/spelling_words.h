#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// How a file spells its values in the words of whoever asks for a schema of it, by the names of a
/// schema's keys; an empty text says nothing. The methods throw UsageError for what no key can be.
struct SpellingWords {
  std::string decimal{};               ///< "." or ","
  std::string thousands{};             ///< between groups of three digits
  std::vector<std::string> symbols{};  ///< dropped beside numbers
  std::string encoding{};              ///< one of encoding_names()
  std::string date_format{};           ///< such as %d.%m.%Y
  std::string comment{};               ///< one character
  std::vector<std::string> missing{};  ///< further texts for a missing value

  /// Writes all but the missing values into the format of a file.
  void apply(FileFormat& format) const;
  /// What guesses of the encoding and of comments start from.
  [[nodiscard]] KnownFormat known() const;
  /// What guesses from the values leave alone.
  [[nodiscard]] SaidSpelling said() const;
};

}  // namespace tacet::data
