#pragma once

#include <memory>

#include "tacet/data/read/byte_source.h"

namespace tacet::data::internal {

/// The same bytes, read by a thread of its own a few blocks ahead of who asks for them: copying a
/// file out of the system's cache, or decompressing it, goes on while records are parsed. An error
/// of `inner` is thrown where its bytes would have stood. The thread ends with the source, so
/// `inner` must not wait for anybody (a pipe does). Where the system starts no more threads,
/// `inner` itself.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> inner);

}  // namespace tacet::data::internal
