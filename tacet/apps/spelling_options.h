#pragma once

#include <string>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/data/owner/spelling_words.h"

namespace tacet::apps {

/// Options that say how a file spells its values, named as the keys of a schema.
class SpellingOptions {
 public:
  void declare(Options& options);

  [[nodiscard]] const data::SpellingWords& words() const { return words_; }

 private:
  data::SpellingWords words_;
};

}  // namespace tacet::apps
