#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// What is known of a file before it is looked at.
struct KnownFormat {
  std::optional<TextEncoding> encoding{};  ///< nothing: guessed by all bytes of the file
  /// Nothing: lines that begin with # are comments where they are cut unlike the others.
  std::optional<char> comment{};
  std::string column{};  ///< a name that its header holds; empty: none is known
};

/// How a CSV file is written, from its first hundred records; the file must be public.
///
/// The separator is the one of comma, semicolon, tab and bar that cuts at least nine records of ten
/// into equally many columns, at least two; of several the one that fits more records, then the one
/// with more columns; not the comma where another one that fits leaves commas in numbers alone, as
/// their points. Each is tried by the rules of the CSV reader, with quotes and, where those do
/// not fit and no field is enclosed in them, with quotes as ordinary characters. Records that are
/// too short ask for `fill_short`. Unless `header` says so, a first record is a header when its
/// texts are distinct, none is a number or empty, and none comes again below; else columns are
/// named column_1, column_2, ... Where nothing but an empty text speaks against a header, somebody
/// has to say what it is.
///
/// DataError when nothing fits, where the names stand below the first line or the first line is cut
/// unlike the others, and for what is a LIBSVM, NPY or IDX file, with the [features] to
/// write instead. A given separator is taken as it is.
[[nodiscard]] FileFormat guess_format(const std::filesystem::path& file,
                                      std::optional<char> separator = std::nullopt,
                                      std::optional<bool> header = std::nullopt,
                                      const KnownFormat& known = {});

/// The same for a file that need not be public, since nobody learns of it: its likely separator and
/// quotes, or nothing where nothing fits. Whether it has a header stays open.
struct ReadableText {
  std::string name;                                   ///< for messages
  std::function<std::unique_ptr<ByteSource>()> open;  ///< from its first byte on, in UTF-8
};
[[nodiscard]] std::optional<FileFormat> likely_format(const ReadableText& text);

/// Which kind of file without named columns it looks like; nullptr: none, so CSV.
[[nodiscard]] const FileKind* recognised_kind(const ReadableText& text);
[[nodiscard]] const FileKind* recognised_kind(const std::filesystem::path& file);

}  // namespace tacet::data
