#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace tacet::data {

/// What a token of a text is.
enum class TokenRule {
  blanks,  ///< what stands between blanks, tabs, line ends, vertical tabs, form feeds, zero bytes
  /// Words of the schema's text columns: runs of ASCII letters and digits and of all bytes above
  /// 127 (so that any UTF-8 word stays whole); ASCII letters are lower-cased.
  words
};

/// Cuts a text into tokens, piece by piece; a token may go on in the next piece. Tokens of more
/// than `longest` bytes are left out, whatever they hold. Not for several threads at once.
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

  /// Whether a text is one token as it stands, so that it can be found in texts.
  [[nodiscard]] bool is_token(std::string_view text) const;

 private:
  std::array<char, 256> kept_{};  // what becomes of a byte; 0: it ends a token
  std::size_t longest_;
  std::string token_;  // cut off behind longest_ + 1 bytes
};

}  // namespace tacet::data
