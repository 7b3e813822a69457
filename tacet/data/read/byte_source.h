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
  /// Fills the front of `buffer` and returns the number of bytes; 0 only at the end.
  [[nodiscard]] virtual std::size_t read(std::span<char> buffer) = 0;
};

/// A text whose beginning was read already.
struct BegunText {
  std::string begun;
  std::unique_ptr<ByteSource> source;
};

/// Sees the bytes of a source while another object reads them. Called from one thread at a time.
class ByteObserver {
 public:
  virtual ~ByteObserver() = default;
  virtual void see(std::string_view bytes) = 0;
  /// Called at the end of the bytes. Not called if the source fails or is not read to its end.
  virtual void end() = 0;
};

/// Stands for standard input (pipes.h).
inline constexpr std::string_view standard_input_name = "-";

/// Opens a file. If it starts with gzip's two magic bytes it is decompressed; several members may
/// follow each other, as in gzip itself. IoError if the system refuses (a directory, no
/// permission). DataError if compressed data are damaged or incomplete, and for a kind of file that
/// has no records (foreign_file.h).
///
/// A separate thread reads a long file a few blocks ahead (read_ahead.h). With `compressed_only`,
/// for callers that read on several threads, it does so only for compressed files.
enum class ReadAheadOf { long_files, compressed_only };
/// How often a caller opens a file. A pipe that is opened once is not kept (pipes.h).
enum class Passes { several, once };
struct Opening {
  ReadAheadOf ahead = ReadAheadOf::long_files;
  Passes passes = Passes::several;
  /// Observers of the bytes that the source returns. Null pointers are ignored.
  std::vector<ByteObserver*> observers = {};
  /// The source does not convert encodings (transcode.h does). But it refuses UTF-16 if another
  /// encoding is expected, since such a text would be full of zero bytes.
  TextEncoding expected = TextEncoding::utf_8;
};
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::filesystem::path& file,
                                                      const Opening& opening = {});

/// A file that the caller has opened, and keeps open while the source is read. It is read from its
/// first byte, even if another file has its name by now.
struct OpenFile {
  int descriptor;
  std::string name;  ///< for messages
};
/// As open_source(), for such a file, on the calling thread.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const OpenFile& file,
                                                      TextEncoding expected = TextEncoding::utf_8);

/// Bytes in memory, decompressed likewise; `text` must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::string_view text,
                                                        std::string_view name);

/// The text of a file without its byte order mark.
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
/// of `inner` is thrown at the place of the missing bytes. The thread ends with the source, so
/// `inner` must not block for long, which a pipe may do. If the system starts no more threads, this
/// returns `inner` itself.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> inner);

}  // namespace tacet::data::internal
