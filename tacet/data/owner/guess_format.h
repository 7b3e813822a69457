#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// What is known about a file before it is read.
struct KnownFormat {
  std::optional<TextEncoding> encoding{};  ///< absent: guessed from all bytes of the file
  /// Absent: lines that begin with # are comments if they are divided unlike the others.
  std::optional<char> comment{};
  std::string column{};  ///< one name in its header; empty: none is known
};

/// Guesses how a CSV file is written, from its first hundred records. The file must be public.
///
/// The separator is the one of comma, semicolon, tab and bar that cuts at least nine records of ten
/// into equally many columns, at least two; Among several, it is the one that fits more records,
/// and then the one with more columns. It is not the comma if another separator fits and leaves
/// commas only in numbers, as decimal commas. Each one is tried with the rules of the CSV reader:
/// with quotes, and if those do not fit and no field is enclosed in quotes, with quotes as ordinary
/// characters. Records that are too short require `fill_short`. Unless `header` says otherwise, the
/// first record is a header if its texts are distinct, none is a number or empty, and none occurs
/// again in its column. Otherwise columns are named column_1, column_2, ... If only an empty text
/// speaks against a header, a person has to decide.
///
/// DataError if nothing fits, if the names are not in the first line, and if the first line is
/// divided unlike the others. For a LIBSVM, NPY or IDX file it says which [features] to write. A
/// given separator is used as it is.
[[nodiscard]] FileFormat guess_format(const std::filesystem::path& file,
                                      std::optional<char> separator = std::nullopt,
                                      std::optional<bool> header = std::nullopt,
                                      const KnownFormat& known = {});

/// As guess_format(), for a file that need not be public, since the result is shown to nobody: its
/// likely separator and quotes, or nothing if none fit. It does not decide about a header.
struct ReadableText {
  std::string name;                                   ///< for messages
  std::function<std::unique_ptr<ByteSource>()> open;  ///< the file from its first byte, in UTF-8
};
[[nodiscard]] std::optional<FileFormat> likely_format(const ReadableText& text);

/// The kind of file without named columns that it looks like; nullptr for none, so probably CSV.
[[nodiscard]] const FileKind* recognised_kind(const ReadableText& text);
[[nodiscard]] const FileKind* recognised_kind(const std::filesystem::path& file);

}  // namespace tacet::data
