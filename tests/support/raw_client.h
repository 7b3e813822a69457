#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::test {

/// A connection that sends what a test likes.
class RawClient {
 public:
  /// `from` is an address of this machine, 0x7f000001 say; 0: any.
  explicit RawClient(std::uint16_t port, std::uint32_t from = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(from);
    if (from != 0) {
      static_cast<void>(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address));
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(socket_); }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int descriptor() const { return socket_; }
  /// False when the other side takes no more.
  bool send(std::string_view text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  /// What comes until the other side ends, or nothing more for so long.
  [[nodiscard]] std::string receive(std::chrono::milliseconds patience) const {
    std::string text;
    char bytes[4096];
    pollfd waiting{socket_, POLLIN, 0};
    while (::poll(&waiting, 1, static_cast<int>(patience.count())) == 1) {
      const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return text;
  }

  /// One answer with a Content-Length; empty where none comes within ten seconds.
  [[nodiscard]] std::string receive_answer() const {
    constexpr int patience = 10000;
    std::string text;
    char bytes[4096];
    pollfd waiting{socket_, POLLIN, 0};
    while (::poll(&waiting, 1, patience) == 1) {
      const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      text.append(bytes, static_cast<std::size_t>(count));
      const auto head = text.find("\r\n\r\n");
      const auto length = text.find("Content-Length: ");
      if (head == std::string::npos || length == std::string::npos) continue;
      if (text.size() >= head + 4 + std::stoul(text.substr(length + 16, 10))) return text;
    }
    return {};
  }

 private:
  int socket_;
  bool connected_ = false;
};

}  // namespace tacet::test
