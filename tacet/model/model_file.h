#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/atomic_file.h"
#include "tacet/data/schema/schema.h"
#include "tacet/model/json_text.h"
#include "tacet/model/linear_model.h"
#include "tacet/model/python_form.h"
#include "tacet/privacy/receipt.h"

/// The file that training leaves behind: versioned JSON with the schema (how records were read),
/// the model, and the receipt (what it cost). Everything in it is public.
///
/// A wide model's file begins with the same as one line of JSON, version 2, which says the
/// architecture and how many numbers there are; behind the line stand these as 4-byte floats, the
/// least significant byte first: the tables row by row, then the dense block.
///
/// A SHA-256 checksum over the content detects accidents and edits by hand. It is no signature:
/// who can write the file can also write a matching checksum.
///
/// Example:
///
///     const model::ModelFile file = model::load_model("model.json");
///     const double epsilon = file.receipt.guarantee.epsilon;  // what its training promises
///     const data::Dataset records =
///         data::read_dataset("new.csv", file.schema, {.target = data::TargetUse::absent});
namespace tacet::model {

struct ModelFile {
  data::Schema schema;
  LinearModel model;
  privacy::Receipt receipt;
  std::string statement = {};  ///< the promise in words as a file has it; not what will be written
  std::optional<PythonForm> python = {};  ///< where it is not what the schema says
};

/// Writes the file's text in pieces of bounded size, so that memory beyond the model's own does not
/// grow with the number of coefficients. Ranges, shapes and agreement with the schema are checked
/// first (DataError); a receipt that hides the mark of an unprotected run is a UsageError.
void write_model(const ModelFile& file, const TextSink& sink);

/// The same text as a whole; of a wide model it holds bytes that are no text.
[[nodiscard]] std::string model_to_json(const ModelFile& file);

/// Reads the text strictly: what is missing, unknown, repeated, out of range, of the wrong length
/// or type, at odds with the schema or with the checksum is a DataError that starts with
/// `file_name` and names the field.
[[nodiscard]] ModelFile model_from_json(std::string_view text, std::string_view file_name);

/// Whether a file's content is that of a wide model, by how it begins.
[[nodiscard]] bool is_wide_file(std::string_view text);

void save_model(const std::filesystem::path& path, const ModelFile& file,
                base::Overwrite overwrite);
/// IoError when the file cannot be read, else as model_from_json.
[[nodiscard]] ModelFile load_model(const std::filesystem::path& path);

}  // namespace tacet::model
