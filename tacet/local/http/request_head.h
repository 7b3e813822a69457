#pragma once

#include <utility>  // before Asio 1.74

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/local/http/address.h"

/// What the fields of a request say, and what those of an answer say to a browser.
namespace tacet::local::internal {

using RequestFields = boost::beast::http::request_header<>;

/// HTTP/1.1 names the host in each request, once; and nobody shows two tokens, of which a proxy
/// may believe the one and this server the other.
[[nodiscard]] inline bool is_ambiguous(const RequestFields& request) {
  const auto hosts = request.count(boost::beast::http::field::host);
  return (request.version() >= 11 ? hosts != 1 : hosts > 1) ||
         request.count(boost::beast::http::field::authorization) > 1;
}

/// An absolute target, as clients send it to a proxy, without its scheme and host.
[[nodiscard]] inline std::string path_of(boost::beast::string_view target) {
  const std::string text(target);
  const auto scheme = text.find("://");
  if (text.starts_with('/') || scheme == std::string::npos) return text;
  const boost::beast::string_view name(text.data(), scheme);
  if (!boost::beast::iequals(name, "http") && !boost::beast::iequals(name, "https")) return text;
  const auto path = text.find('/', scheme + 3);
  return path == std::string::npos ? "/" : text.substr(path);
}

/// The name of the scheme is written in any case.
[[nodiscard]] inline std::string bearer_of(boost::beast::string_view authorization) {
  constexpr std::string_view scheme = "Bearer ";
  if (authorization.size() < scheme.size() ||
      !boost::beast::iequals(authorization.substr(0, scheme.size()),
                             boost::beast::string_view(scheme.data(), scheme.size()))) {
    return {};
  }
  std::string token(authorization.substr(scheme.size()));
  token.erase(0, std::min(token.find_first_not_of(' '), token.size()));
  return token;
}

/// What a proxy has added to X-Forwarded-For: the end of the last line of that name.
[[nodiscard]] inline std::optional<std::string> forwarded_for(const RequestFields& request) {
  const auto [first, end] = request.equal_range("X-Forwarded-For");
  if (first == end) return std::nullopt;
  auto last = first;
  for (auto field = first; field != end; ++field) last = field;
  const auto line = last->value();
  std::string_view text(line.data(), line.size());
  if (const auto comma = text.rfind(','); comma != text.npos) text.remove_prefix(comma + 1);
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return plain_address(text);
}

/// What a browser asks before it lets a page of this origin read an answer, or send a request that
/// is not a plain one (`preflight`).
template <typename Response>
void allow_origin(Response& response, const std::string& origin, bool preflight) {
  namespace http = boost::beast::http;
  response.set(http::field::access_control_allow_origin, origin);
  response.set(http::field::access_control_expose_headers, "Retry-After");
  if (!preflight) return;
  response.set(http::field::access_control_allow_methods, "GET, HEAD, POST");
  response.set(http::field::access_control_allow_headers, "Authorization, Content-Type");
  response.set(http::field::access_control_max_age, "86400");
}

}  // namespace tacet::local::internal
