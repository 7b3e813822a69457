#pragma once

#include <memory>

#include "tacet/data/read/byte_source.h"

namespace tacet::data::internal {

/// The same bytes, read by a separate thread a few blocks ahead of the caller, so that copying a
/// file out of the system's cache, or decompressing it, goes on while records are parsed. An error
/// of `inner` is thrown where its bytes would have stood. The thread ends with the source, so
/// `inner` must not block for long, as a pipe does. If the system starts no more threads, this
/// returns `inner` itself.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> inner);

}  // namespace tacet::data::internal
