#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/spelling.h"

/// Reads text in other encodings as UTF-8. Every sequence of bytes becomes some text. No byte is an
/// error, since an error would reveal something about a record.
namespace tacet::data {

/// The same text in UTF-8. In Windows-1252 the five bytes without a character become the control
/// characters of the same number, as in browsers. UTF-16 is little-endian unless a byte order mark,
/// or a first byte 0, says otherwise; half of a pair of surrogates becomes U+FFFD.
[[nodiscard]] std::unique_ptr<ByteSource> in_utf8(std::unique_ptr<ByteSource> source,
                                                  TextEncoding encoding);

/// A text that is not UTF-8, converted from Windows-1252; any other text as it is.
[[nodiscard]] std::string utf8_text(std::string_view text);

/// Opens a file of text in that encoding. Errors as open_source.
[[nodiscard]] std::unique_ptr<ByteSource> open_text(const std::filesystem::path& file,
                                                    TextEncoding encoding, Opening opening = {});

/// The encoding of a file, from its first bytes: UTF-16 if they show it, else UTF-8. It depends on
/// the kind of the file, never on a record.
[[nodiscard]] TextEncoding encoding_by_mark(const std::filesystem::path& file);
/// The same for a source that was just opened; it consumes these bytes.
[[nodiscard]] TextEncoding encoding_by_mark(ByteSource& source);

}  // namespace tacet::data
