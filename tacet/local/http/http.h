#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// HTTP as the server of local learning needs it: a seam between what it says and the library that
/// moves the bytes.
namespace tacet::local {

/// What stands before a request's body.
struct RequestHead {
  std::string method;                   ///< GET also where only the head of an answer is wanted
  std::string path;                     ///< without the scheme and the host of an absolute target
  std::string token;                    ///< of "Authorization: Bearer TOKEN"; empty: none
  std::string address;                  ///< whose request it is, as limits count (limited_address)
  std::string identity;                 ///< SHA-256 of a client certificate's key; empty: none
  std::optional<std::uint64_t> length;  ///< of the body, as announced
  bool other_length = false;            ///< a Transfer-Encoding, or a length that is none
  bool secure = false;                  ///< over TLS
  bool loopback = false;                ///< both ends are on this machine
  bool known = false;                   ///< the handler's: it has a token, or a key, of somebody
  std::array<std::uint8_t, 32> note{};  ///< the handler's own, from admit to answer
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::shared_ptr<const std::string> shared = {};  ///< instead of `body`
  std::string type = "application/json";
  std::int64_t retry_seconds = 0;  ///< above 0: a Retry-After
  bool cacheable = false;          ///< for ever: what it says is named by its digest
  bool close = false;              ///< the connection ends with it
  std::string allow = {};          ///< methods that the path takes, where another one was used
};

/// Decides about requests. Called by the threads of a server, several at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Before a body is read: an answer that ends the request, or nothing.
  [[nodiscard]] virtual std::optional<HttpAnswer> admit(RequestHead& head) = 0;
  /// A whole request; `done` is called once, at once or later, by any thread.
  virtual void answer(const RequestHead& head, std::string body,
                      std::function<void(HttpAnswer)> done) = 0;
  /// For bytes that are no request.
  [[nodiscard]] virtual HttpAnswer not_understood() = 0;
  /// For a request whose body finds no room (HttpLimits::body_bytes).
  [[nodiscard]] virtual HttpAnswer overloaded() = 0;
};

/// What a connection may take, with the defaults of `tacet serve`.
struct HttpLimits {
  /// An eighth of them is kept for those that have carried a valid token.
  std::int64_t connections = 8192;
  std::int64_t connections_per_address = 256;
  double connections_per_second = 50;  ///< new ones, of one address: a handshake costs time
  /// Those of one address that end before their first request is whole; beyond, new ones of that
  /// address are refused.
  double failed_per_second = 5;
  std::uint32_t header_bytes = 8192;
  std::int64_t body_bytes = std::int64_t{1} << 28;  ///< of all bodies that are not answered yet
  std::chrono::milliseconds handshake{5000};
  std::chrono::milliseconds header{5000};
  std::chrono::milliseconds body{10000};
  std::chrono::milliseconds idle{30000};
  /// Addresses whose X-Forwarded-For is believed, and whose connections are those of many.
  std::vector<std::string> trusted_proxies;
  /// Pages of these origins ("https://example.org") may ask from a browser.
  std::vector<std::string> allowed_origins;
};

/// Counts of messages and bytes; nothing of what they say.
struct HttpCounters {
  std::atomic<std::int64_t> opened{0};
  std::atomic<std::int64_t> open{0};
  std::atomic<std::int64_t> refused{0};      ///< beyond the limits of connections
  std::atomic<std::int64_t> ended_early{0};  ///< idle without a token, when places were short
  std::atomic<std::int64_t> failed_handshakes{0};
  std::atomic<std::int64_t> timeouts{0};
  std::atomic<std::int64_t> truncated{0};  ///< requests that ended before they were whole
  std::atomic<std::int64_t> not_understood{0};
  std::atomic<std::int64_t> failures{0};  ///< connections that ended for lack of memory, say
  std::atomic<std::int64_t> requests{0};
  std::atomic<std::int64_t> bytes_in{0};
  std::atomic<std::int64_t> bytes_out{0};
};

}  // namespace tacet::local
