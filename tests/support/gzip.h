#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace tacet::test {

/// The text as a member of a gzip file.
inline std::string gzip(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib");
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())) + 32, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace tacet::test
