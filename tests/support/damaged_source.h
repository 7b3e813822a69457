#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/read/byte_source.h"

namespace tacet::test {

/// Gives out a text in pieces of 7 bytes and then an error, as a damaged file does.
class DamagedSource : public data::ByteSource {
 public:
  explicit DamagedSource(std::string_view text) : text_(text) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min({buffer.size(), text_.size(), std::size_t{7}});
    if (count == 0) throw base::DataError("the file is damaged");
    std::copy_n(text_.data(), count, buffer.data());
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

}  // namespace tacet::test
