#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/spelling.h"

/// Text in other encodings, read as UTF-8. Every sequence of bytes becomes some text: no byte is an
/// error, since one would tell of a record.
namespace tacet::data {

/// The same text in UTF-8. Of Windows-1252 the five bytes without a character become the control
/// characters of the same number, as in browsers. UTF-16 is little-endian unless a byte order mark,
/// or a first byte 0, says otherwise; half of a pair of surrogates becomes U+FFFD.
[[nodiscard]] std::unique_ptr<ByteSource> in_utf8(std::unique_ptr<ByteSource> source,
                                                  TextEncoding encoding);

/// A text that is no UTF-8 as one of Windows-1252; any other as it is.
[[nodiscard]] std::string utf8_text(std::string_view text);

/// Opens a file of text in that encoding. Errors as open_source.
[[nodiscard]] std::unique_ptr<ByteSource> open_text(const std::filesystem::path& file,
                                                    TextEncoding encoding, Opening opening = {});

/// The encoding of a file by its first bytes, which tell UTF-16 alone: depends on the kind of the
/// file, never on a record; anything else is UTF-8.
[[nodiscard]] TextEncoding encoding_by_mark(const std::filesystem::path& file);
/// The same of a source that has just been opened; these bytes are read then.
[[nodiscard]] TextEncoding encoding_by_mark(ByteSource& source);

}  // namespace tacet::data
