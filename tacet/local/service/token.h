#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

struct evp_mac_ctx_st;  // of OpenSSL: EVP_MAC_CTX

namespace tacet::local {

/// What a server keeps of a token: its HMAC-SHA256 under the key of the state.
using TokenMac = std::array<std::uint8_t, 32>;

/// It is evenly spread, and nobody outside knows the key.
struct TokenHash {
  [[nodiscard]] std::size_t operator()(const TokenMac& mac) const {
    std::size_t hash = 0;
    std::memcpy(&hash, mac.data(), sizeof hash);
    return hash;
  }
};

/// 64 hexadecimal digits of the operating system's randomness.
[[nodiscard]] std::string new_token();
/// Whether a text could be one.
[[nodiscard]] bool is_token(std::string_view text);

/// The key of a state. Several threads may use one.
class TokenKey {
 public:
  explicit TokenKey(std::string_view key);
  [[nodiscard]] TokenMac mac(std::string_view token) const;

 private:
  struct Free {
    void operator()(evp_mac_ctx_st* keyed) const noexcept;
  };
  friend class ThreadTokenKey;
  std::unique_ptr<evp_mac_ctx_st, Free> keyed_;  // set up once, copied for each thread
  std::uint64_t number_;                         // of no other key in this process
};

/// A token key that only one thread may use at a time. It is not copied for each row: a row is
/// sealed for every report that comes.
class ThreadTokenKey {
 public:
  explicit ThreadTokenKey(std::string_view key) : key_(key) {}
  [[nodiscard]] TokenMac mac(std::string_view text);

 private:
  TokenKey key_;
};

}  // namespace tacet::local
