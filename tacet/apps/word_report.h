#pragma once

#include <string>

#include "tacet/apps/terminal/console.h"
#include "tacet/model/words/word_vectors.h"

/// What commands tell about word vectors.
namespace tacet::apps {

/// Reads vectors of any format; a receipt beside them that promises nothing is a warning.
[[nodiscard]] model::WordVectors load_vectors(const Console& console, const std::string& file);

/// Public lists that vectors are measured by; empty: not asked for.
struct WordLists {
  std::string similarity;
  std::string analogies;
};

/// Rank correlation with coverage, accuracy by section: for a person, or for a program.
[[nodiscard]] std::string word_report(const model::WordVectors& vectors, const WordLists& lists,
                                      bool json);

}  // namespace tacet::apps
