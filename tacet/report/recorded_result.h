#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

namespace tacet::report {

/// A receipt and what the file around it says.
struct RecordedResult {
  privacy::Receipt receipt;
  std::optional<model::ModelFile> model = {};  ///< where the file is one
  std::optional<std::string> statement = {};   ///< the promise in words, where the file has it
  std::vector<std::string> other_keys = {};    ///< of a result that is no model
  std::optional<data::Schema> schema = {};     ///< where the file is one, fitted to records
};

/// A model file, another result that has a receipt, a receipt by itself, or a schema that was
/// fitted to records (TOML or JSON); nothing where the text is JSON and none of these. `name` is
/// the file's, for messages. DataError for anything else, what is damaged, and a schema without a
/// cost; of a text that is no JSON, which may be records, it says nothing but the place.
[[nodiscard]] std::optional<RecordedResult> recorded_in(const std::string& text,
                                                        const std::string& name);

/// The same for a text that has to be a result: DataError otherwise.
[[nodiscard]] RecordedResult result_in(const std::string& text, const std::string& name);

}  // namespace tacet::report
