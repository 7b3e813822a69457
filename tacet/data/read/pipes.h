#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/progress.h"
#include "tacet/data/read/byte_source.h"

/// Inputs that can be read once, and what their senders say of their ends.
namespace tacet::data {

/// Whether a file is one that can be read once: standard input, a named pipe, what a shell writes
/// as <(...), a device.
[[nodiscard]] bool is_pipe(const std::filesystem::path& file);

/// For a program that ends with its one command: from here on each pipe is read whole when it is
/// first opened, and kept until the process ends, so that it can be opened again. Standard input
/// always is. Without it a pipe that has other records the next time could not be told apart.
/// A reader that opens it once (Passes::once) keeps nothing. Waiting for the other end of a pipe
/// ends with Interrupted when a signal raises `cancel`, which lives as long as the process.
void keep_pipes(const base::CancelToken& cancel);

/// Whether the records of a file can be read again: it is no pipe, or pipes are kept.
[[nodiscard]] bool can_be_read_again(const std::filesystem::path& file);

/// From here on the last line of that file must be the mark, which is no record: a sender that
/// dies leaves a text without it. DataError where it is missing, or stands before the end.
/// UsageError for a mark that no line can be. Call it before the file is opened, from one thread.
void expect_end_mark(const std::filesystem::path& file, const std::string& mark);

namespace internal {

/// The bytes of a pipe that is kept; they live as long as the process. IoError when it cannot be
/// read.
[[nodiscard]] std::string_view kept_pipe(const std::filesystem::path& file);

/// The bytes of such a pipe as they come, for a reader that opens it once; those that are kept
/// where another one was before it. InternalError where they have passed already. A signal during a
/// wait for bytes is Interrupted.
[[nodiscard]] std::unique_ptr<ByteSource> passing_pipe(const std::filesystem::path& file);

/// The mark that was said of the file.
[[nodiscard]] std::optional<std::string> end_mark_of(const std::filesystem::path& file);

/// The bytes before the line that is the mark; `name` is for messages.
[[nodiscard]] std::unique_ptr<ByteSource> until_mark(std::unique_ptr<ByteSource> source,
                                                     std::string mark, std::string name);

}  // namespace internal
}  // namespace tacet::data
