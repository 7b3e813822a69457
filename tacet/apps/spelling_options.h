#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/schema/schema.h"

namespace tacet::apps {

/// Options that say how a file spells its values, named as the keys of a schema.
class SpellingOptions {
 public:
  void declare(Options& options);

  /// Everything but missing values and formats of dates.
  void apply(data::FileFormat& format) const;
  /// What guesses of the encoding and of comments start from.
  [[nodiscard]] data::KnownFormat known() const;
  [[nodiscard]] data::SaidSpelling said() const;
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  [[nodiscard]] std::optional<char> decimal() const;
  [[nodiscard]] std::optional<char> comment() const;
  [[nodiscard]] std::optional<data::TextEncoding> encoding() const;

  std::string decimal_;
  std::string thousands_;
  std::vector<std::string> symbols_;
  std::string encoding_;
  std::string date_format_;
  std::string comment_;
  std::vector<std::string> missing_;
};

}  // namespace tacet::apps
