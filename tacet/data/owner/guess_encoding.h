#pragma once

#include <filesystem>

#include "tacet/data/schema/spelling.h"

namespace tacet::data {

/// The encoding of a public file, from all of its bytes: UTF-16 if a byte order mark or zero bytes
/// say so, and Windows-1252 if it is not UTF-8 (this includes Latin-1).
///
/// DataError, with line, word and what converts the file, where its words are none of Windows-1252:
/// one in four has a byte that the encoding lacks, a sign between two letters, a capital within
/// small letters, three letters in a row that are no ASCII, or several and no other. So written are
/// DOS's code pages, Macintosh's, and those of other scripts. Nothing tells Windows-1252 from
/// encodings that differ from it in letters alone: show a person words of the file.
[[nodiscard]] TextEncoding guess_encoding(const std::filesystem::path& file);

}  // namespace tacet::data
