#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tacet/local/http/http.h"

namespace tacet::local {

/// Where a server listens, and who it says it is.
struct ListenOptions {
  std::string host = "127.0.0.1";  ///< an address of this machine
  std::uint16_t port = 0;          ///< 0: any that is free
  std::string certificate;         ///< PEM file of the chain; empty: plain HTTP
  std::string key;                 ///< PEM file
  std::string client_ca;           ///< PEM file: clients show a certificate of one of these
  HttpLimits limits;
  int threads = 1;
};

/// "host:port" or "[address]:port"; UsageError names the option.
[[nodiscard]] ListenOptions listen_at(const std::string& option, const std::string& text);

/// Listens, and passes requests to a handler. No connection holds up another one, however slow.
class HttpServer {
 public:
  /// Takes the address; IoError where somebody else has it, or a certificate cannot be used.
  explicit HttpServer(ListenOptions options);
  /// Stops. Nobody may hold a callback of an answer any more.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Begins to accept. Keeps a reference to the handler, which must not go before stop() has
  /// returned.
  void start(HttpHandler& handler);
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] bool loopback() const;
  [[nodiscard]] const HttpCounters& counters() const;
  /// New connections use what the files hold now; IoError leaves it as it was.
  void read_certificates();
  /// Takes no new connection, ends idle ones, and waits until requests under way are answered, at
  /// most this long.
  void drain(std::chrono::milliseconds max_time);
  /// Calls the handler no more, from now on.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacet::local
