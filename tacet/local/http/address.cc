#include "tacet/local/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

namespace tacet::local {
namespace {

std::string text_of(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

}  // namespace

std::optional<std::string> plain_address(std::string_view text) {
  const std::string ended(text);
  in_addr four{};
  if (::inet_pton(AF_INET, ended.c_str(), &four) == 1) return text_of(AF_INET, &four);
  in6_addr six{};
  if (::inet_pton(AF_INET6, ended.c_str(), &six) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return text_of(AF_INET, &six.s6_addr[12]);
  return text_of(AF_INET6, &six);
}

std::string limited_address(const std::string& plain) {
  in6_addr six{};
  if (::inet_pton(AF_INET6, plain.c_str(), &six) != 1) return plain;
  std::fill(std::begin(six.s6_addr) + 8, std::end(six.s6_addr), 0);
  return text_of(AF_INET6, &six) + "/64";
}

}  // namespace tacet::local
