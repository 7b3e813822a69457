#pragma once

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/local/http/http_client.h"
#include "tests/support/raw_client.h"

namespace tacet::bench {

/// A connection of a load generator that costs it little: a socket that waits, TLS where there is a
/// context, nobody's certificate verified, answers with a Content-Length understood. One core can
/// play so many devices only when each is cheaper than a real one.
class SmallClient : public local::Transport {
 public:
  using Context = std::shared_ptr<SSL_CTX>;
  static Context tls() {
    Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_cert_verify_callback(
        context.get(), [](X509_STORE_CTX*, void*) { return 1; }, nullptr);
    return context;
  }

  SmallClient(std::uint16_t port, const Context& tls)
      : socket_(port), tls_(nullptr, SSL_free), tls_context_(tls) {
    const int at_once = 1;  // or what follows a handshake waits 40 ms for an acknowledgement
    ::setsockopt(socket_.descriptor(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (!tls) return;
    tls_.reset(SSL_new(tls.get()));
    SSL_set_fd(tls_.get(), socket_.descriptor());
    if (SSL_connect(tls_.get()) != 1) throw base::IoError("no handshake");
  }

  [[nodiscard]] local::HttpReply exchange(const local::HttpRequest& request) override {
    auto text = fmt::format("{} {} HTTP/1.1\r\nHost: x\r\n", request.method, request.path);
    if (!request.token.empty()) text += "Authorization: Bearer " + request.token + "\r\n";
    if (request.method == "POST")
      text += fmt::format("Content-Length: {}\r\n", request.body.size());
    write(text + "\r\n" + request.body);
    return read();
  }
  [[nodiscard]] bool confidential() const override { return true; }

 private:
  void write(const std::string& text) {
    const auto size = static_cast<int>(text.size());
    const bool sent = tls_ ? SSL_write(tls_.get(), text.data(), size) == size : socket_.send(text);
    if (!sent) throw base::IoError("the server takes no more");
  }

  local::HttpReply read() {
    std::string text;
    for (;;) {
      std::array<char, 2048> bytes{};
      const auto room = static_cast<int>(bytes.size());
      const auto count =
          tls_ ? SSL_read(tls_.get(), bytes.data(), room)
               : static_cast<int>(::recv(socket_.descriptor(), bytes.data(), bytes.size(), 0));
      if (count <= 0) throw base::IoError("no answer");
      text.append(bytes.data(), static_cast<std::size_t>(count));
      const auto head = text.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const auto length = text.find("Content-Length: ");
      if (length > head) throw base::IoError("an answer without a length");
      const auto body = std::strtoull(text.c_str() + length + 16, nullptr, 10);
      if (text.size() < head + 4 + body) continue;
      return {std::atoi(text.c_str() + 9), text.substr(head + 4), 0};
    }
  }

  test::RawClient socket_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
  Context tls_context_;
};

}  // namespace tacet::bench
