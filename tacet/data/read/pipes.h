#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/progress.h"
#include "tacet/data/read/byte_source.h"

/// Inputs whose bytes come only once, and the mark with which a sender confirms that it has sent
/// all of them.
namespace tacet::data {

/// Whether the bytes of a file come only once: standard input, a named pipe, a process substitution
/// <(...), a socket or a device.
[[nodiscard]] bool is_pipe(const std::filesystem::path& file);

/// For a program that ends after one command. From now on, a reader that needs several passes over
/// a pipe (Passes::several) reads it whole when it first opens it. The bytes stay in memory until
/// the process ends, so that every later pass has the same ones. Standard input is kept in this way
/// even without the call, since a process cannot open it twice. A reader that needs one pass
/// (Passes::once) takes the bytes as they come, and nothing is kept.
///
/// A wait for a pipe ends with Interrupted once a signal has raised `cancel`, which must live as
/// long as the process.
void keep_pipes(const base::CancelToken& cancel);

/// Whether the records of a file can be read again: it is a regular file, or a pipe that is kept
/// for readers with several passes. False if there is no such file.
[[nodiscard]] bool can_be_read_again(const std::filesystem::path& file);

/// From now on the last line of that file must be the mark, which is not a record. If the sender
/// dies, the text ends without it. A reader of the file throws DataError if the mark is missing or
/// comes before the end. UsageError for a mark that is not a single line. Call it before the file
/// is opened.
void expect_end_mark(const std::filesystem::path& file, const std::string& mark);

namespace internal {

/// All bytes of a pipe, which this reads to its end at the first call. They live as long as the
/// process. IoError if it cannot be read, InternalError if passing_pipe() has taken its bytes.
[[nodiscard]] std::string_view kept_pipe(const std::filesystem::path& file);

/// The bytes of a pipe as they come, for a reader that needs one pass. If kept_pipe() has read the
/// pipe before, these are the kept bytes. InternalError if an earlier call took them. Interrupted
/// if a signal ends the wait for bytes.
[[nodiscard]] std::unique_ptr<ByteSource> passing_pipe(const std::filesystem::path& file);

/// The mark that expect_end_mark() was given for the file.
[[nodiscard]] std::optional<std::string> end_mark_of(const std::filesystem::path& file);

/// The bytes before the line that is the mark; `name` is for messages.
[[nodiscard]] std::unique_ptr<ByteSource> until_mark(std::unique_ptr<ByteSource> source,
                                                     std::string mark, std::string name);

}  // namespace internal
}  // namespace tacet::data
