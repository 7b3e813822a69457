#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/spelling.h"

namespace tacet::data {

/// A stream of bytes that is read once from front to back. Not for several threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `buffer` and says how many bytes; 0 only at the end.
  [[nodiscard]] virtual std::size_t read(std::span<char> buffer) = 0;
};

/// A text of which the beginning was read already.
struct BegunText {
  std::string begun;
  std::unique_ptr<ByteSource> source;
};

/// Sees the bytes of a source while somebody else reads them. Called from one thread at a time.
class ByteObserver {
 public:
  virtual ~ByteObserver() = default;
  virtual void see(std::string_view bytes) = 0;
  /// There are no more. Not called where the source fails, or is not read to its end.
  virtual void end() = 0;
};

/// Stands for standard input (pipes.h).
inline constexpr std::string_view standard_input_name = "-";

/// Opens a file; one that starts with gzip's two magic bytes is decompressed on the way (several
/// members in a row as gzip itself reads them). IoError when the system refuses (a directory, no
/// permission), DataError when compressed data are damaged or end early, and for a file of a kind
/// that holds no records (foreign_file.h).
///
/// A separate thread reads a long file a few blocks ahead (read_ahead.h). With `compressed_only`,
/// for callers that read on several threads, it does so only for compressed files.
enum class ReadAheadOf { long_files, compressed_only };
/// How often a caller opens a file. Nothing is kept of a pipe that is opened once (pipes.h).
enum class Passes { several, once };
struct Opening {
  ReadAheadOf ahead = ReadAheadOf::long_files;
  Passes passes = Passes::several;
  /// They see the bytes that the source gives out. Null pointers among them are left out.
  std::vector<ByteObserver*> observers = {};
  /// The source does not change the encoding of a text (transcode.h does). It refuses UTF-16 where
  /// another encoding is expected, since such a text would be full of zero bytes.
  TextEncoding expected = TextEncoding::utf_8;
};
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::filesystem::path& file,
                                                      const Opening& opening = {});

/// A file that the caller has opened, and keeps open for as long as the source is read. It is read
/// from its first byte on, even if another file has taken its name meanwhile.
struct OpenFile {
  int descriptor;
  std::string name;  ///< for messages
};
/// The same of such a file, on the calling thread.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const OpenFile& file,
                                                      TextEncoding expected = TextEncoding::utf_8);

/// Bytes in memory, decompressed likewise; `text` must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::string_view text,
                                                        std::string_view name);

/// A file of text from behind its byte order mark, if it begins with one.
[[nodiscard]] std::unique_ptr<ByteSource> without_byte_order_mark(
    std::unique_ptr<ByteSource> source);

namespace internal {

/// Bytes in memory as they are; `text` must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> text_source(std::string_view text);

}  // namespace internal
}  // namespace tacet::data

namespace tacet::data::internal {

/// The same bytes, read by a separate thread a few blocks ahead of the caller, so that copying a
/// file out of the system's cache, or decompressing it, goes on while records are parsed. An error
/// of `inner` is thrown where its bytes would have stood. The thread ends with the source, so
/// `inner` must not block for long, as a pipe does. If the system starts no more threads, this
/// returns `inner` itself.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> inner);

}  // namespace tacet::data::internal
