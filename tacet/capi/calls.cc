#include "tacet/capi/calls.h"

#include <algorithm>
#include <cstring>

namespace tacet::capi::internal {

int failed(int kind, const char* text) noexcept {
  std::size_t length = std::min(std::strlen(text), sizeof last_error - 1);
  // Do not cut within a character of several bytes.
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::memcpy(last_error, text, length);
  last_error[length] = '\0';
  return kind;
}

void hand_out_bytes(std::string_view bytes, char* out, std::size_t size, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes.size();
  if (out == nullptr && size == 0) return;
  static_cast<void>(wanted(out, "the place of the result"));
  if (size < bytes.size()) {
    throw base::UsageError("the result takes {} bytes, there is room for {}", bytes.size(), size);
  }
  std::memcpy(out, bytes.data(), bytes.size());
}

}  // namespace tacet::capi::internal
