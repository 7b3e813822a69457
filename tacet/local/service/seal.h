#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/local/service/token.h"

namespace tacet::local {

/// What a row of the state says, under the state's own key: a row that was changed by a fault of
/// the disk, or came from another state, does not fit its seal. No protection against somebody who
/// may write the file, for the key is in it.
class Seal {
 public:
  /// The seal of a row of this table.
  explicit Seal(std::string_view table) : text_("row of ") {
    text_.reserve(usual_bytes);
    add(table);
  }

  Seal& add(std::string_view field) {
    add(std::ssize(field));
    text_ += field;
    return *this;
  }
  Seal& add(const TokenMac& mac) {
    return add(std::string_view(reinterpret_cast<const char*>(mac.data()), mac.size()));
  }
  Seal& add(std::int64_t number) {
    std::array<char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
    }
    text_.append(bytes.data(), bytes.size());
    return *this;
  }

  /// 16 bytes. No token begins as the text does.
  [[nodiscard]] std::string under(ThreadTokenKey& key) const {
    const auto mac = key.mac(text_);
    return {reinterpret_cast<const char*>(mac.data()), 16};
  }

 private:
  static constexpr std::size_t usual_bytes = 1024;
  std::string text_;
};

}  // namespace tacet::local
