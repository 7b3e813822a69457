#include "tacet/data/encode/tokens.h"

#include <algorithm>

namespace tacet::data {
namespace {

std::array<char, 256> kept_bytes(TokenRule rule) {
  std::array<char, 256> kept{};
  for (std::size_t byte = 0; byte < kept.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const bool upper = c >= 'A' && c <= 'Z';
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte > 127;
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
    if (rule == TokenRule::words) {
      kept[byte] = !word ? '\0' : upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      kept[byte] = blank ? '\0' : c;
    }
  }
  return kept;
}

}  // namespace

Tokens::Tokens(TokenRule rule, std::size_t longest) : kept_(kept_bytes(rule)), longest_(longest) {}

bool Tokens::is_token(std::string_view text) const {
  return !text.empty() && text.size() <= longest_ && std::ranges::all_of(text, [&](char c) {
    return kept_[static_cast<unsigned char>(c)] == c && c != '\0';
  });
}

}  // namespace tacet::data
