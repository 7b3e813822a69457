#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

namespace tacet::report {

/// A receipt and what the file around it says.
struct RecordedResult {
  privacy::Receipt receipt;
  std::optional<model::ModelFile> model = {};  ///< where the file is one
  std::optional<std::string> statement = {};   ///< the promise in words, where the file has it
  std::vector<std::string> other_keys = {};    ///< of a result that is no model
};

/// A model file, another result that has a receipt, or a receipt by itself; nothing where the text
/// is JSON and none of these. `name` is the file's, for messages. DataError for what is no JSON
/// object, or a damaged one.
[[nodiscard]] std::optional<RecordedResult> recorded_in(const std::string& text,
                                                        const std::string& name);

/// The same of a text that has to be one: DataError otherwise.
[[nodiscard]] RecordedResult result_in(const std::string& text, const std::string& name);

}  // namespace tacet::report
