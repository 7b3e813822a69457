#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tacet/base/error.h"

namespace tacet::local {

/// A server that is not who it should be: no later attempt changes that.
class UntrustedServer : public base::IoError {
 public:
  using base::IoError::IoError;
};

struct HttpRequest {
  std::string method = "GET";
  std::string path;
  std::string token = {};  ///< for Authorization; empty: none
  std::string body = {};
  std::size_t max_bytes = std::size_t{1} << 16;  ///< of the answer's body
  /// For all of it, from the connection to the answer's last byte, however a server deals it out.
  std::chrono::milliseconds max_time{30000};
};

struct HttpReply {
  int status = 0;
  std::string body;
  std::int64_t retry_seconds = 0;  ///< of a Retry-After; 0: none
};

/// How a device reaches its server.
class Transport {
 public:
  virtual ~Transport() = default;
  /// IoError when no answer came, or one that is longer than allowed; UntrustedServer where the
  /// server's certificate is refused.
  [[nodiscard]] virtual HttpReply exchange(const HttpRequest& request) = 0;
  /// Whether what is sent can be read on the way by nobody: TLS, or both ends on one machine.
  [[nodiscard]] virtual bool confidential() const = 0;
};

struct ServerAddress {
  std::string host;
  std::string port;
  bool secure = true;
};
/// "https://host", "https://host:8443", and "http://..." for servers on this machine. UsageError
/// for anything else.
[[nodiscard]] ServerAddress server_address(const std::string& url);

struct HttpClientOptions {
  ServerAddress server;
  std::string ca;           ///< PEM file of the authorities that are believed; empty: the system's
  std::string certificate;  ///< PEM file of the device's own; empty: none
  std::string key;
  std::chrono::milliseconds patience{30000};  ///< for each exchange; a request may want less
};

/// HTTPS with the server's certificate verified. Redirects are answers like others; no proxy is
/// used, whatever the environment says. One connection is kept as long as the server keeps it.
/// How long the system looks for a name is the system's own setting.
[[nodiscard]] std::unique_ptr<Transport> http_client(const HttpClientOptions& options);
/// Makes such clients, for several threads: the files of certificates are read once, here.
[[nodiscard]] std::function<std::unique_ptr<Transport>()> http_clients(
    const HttpClientOptions& options);

}  // namespace tacet::local
