#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace tacet::data {

/// What counts as a token of a text.
enum class TokenRule {
  blanks,  ///< everything between blanks, tabs, line ends, vertical tabs, form feeds and zero bytes
  /// Words of the schema's text columns: runs of ASCII letters and digits and of all bytes above
  /// 127 (so that any UTF-8 word stays whole); ASCII letters are lower-cased.
  words
};

/// Cuts a text into tokens, piece by piece. A token may continue in the next piece. Tokens with
/// more than `longest` bytes are left out. Not for several threads at once.
class Tokens {
 public:
  explicit Tokens(TokenRule rule, std::size_t longest = std::numeric_limits<std::size_t>::max());

  /// Calls found(std::string_view) for each token that ends here; valid during the call.
  template <typename Found>
  void feed(std::string_view piece, Found&& found) {
    for (const char c : piece) {
      const char kept = kept_[static_cast<unsigned char>(c)];
      if (kept == '\0') {
        finish(found);
      } else if (token_.size() <= longest_) {
        token_.push_back(kept);
      }
    }
  }
  /// The text ends.
  template <typename Found>
  void finish(Found&& found) {
    if (token_.empty()) return;
    if (token_.size() <= longest_) found(std::string_view(token_));
    token_.clear();
  }

  /// Whether a text is exactly one token, so that it can be found in texts.
  [[nodiscard]] bool is_token(std::string_view text) const;

 private:
  std::array<char, 256> kept_{};  // the byte that replaces each byte; 0: it ends a token
  std::size_t longest_;
  std::string token_;  // cut off after longest_ + 1 bytes
};

}  // namespace tacet::data
