// A server that means a device harm: whatever it says, nothing grows, hangs or is spent.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tacet/base/error.h"
#include "tacet/local/http/http_client.h"
#include "tests/support/peak_memory.h"

namespace tacet::local {
namespace hostile_server_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Takes connections one after the other, and says to each what it likes once it was asked.
class HostileServer {
 public:
  using Say = std::function<bool(const std::string&)>;  ///< false when nobody listens any more
  explicit HostileServer(std::function<void(const Say&)> talk)
      : talk_(std::move(talk)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, place, size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, place, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HostileServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  [[nodiscard]] std::unique_ptr<Transport> client() const {
    HttpClientOptions options;
    options.server = {"127.0.0.1", std::to_string(port_), false};
    options.patience = milliseconds(400);
    return http_client(options);
  }

 private:
  void serve() const {
    for (;;) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      char request[4096];
      if (::recv(client, request, sizeof request, 0) > 0) {
        talk_([client](const std::string& text) {
          return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(text.size());
        });
      }
      ::close(client);
    }
  }

  std::function<void(const Say&)> talk_;
  int socket_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// What it says ends as no answer, soon.
void expect_no_answer(const std::function<void(const HostileServer::Say&)>& talk) {
  const HostileServer server(talk);
  const auto begin = Clock::now();
  EXPECT_THROW((void)server.client()->exchange({.path = "/v1/task", .max_bytes = 1000}),
               base::IoError);
  EXPECT_LT(Clock::now() - begin, milliseconds(5000));
}

void without_end(const HostileServer::Say& say, const std::string& text) {
  const auto end = Clock::now() + milliseconds(3000);
  while (Clock::now() < end && say(text)) {
  }
}

TEST(HostileServerTest, NothingThatItSaysGrowsWithoutEnd) {
  const std::string block(std::size_t{1} << 16, 'x');
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const auto before = test::peak_memory();
  expect_no_answer([&](const auto& say) { without_end(say, block); });
  expect_no_answer([&](const auto& say) { say(ok), without_end(say, "a: b\r\n"); });
  expect_no_answer([&](const auto& say) { say(ok + "a: "), without_end(say, block); });
  // An extension of a chunk has no limit of its own.
  expect_no_answer([&](const auto& say) {
    say(ok + "Transfer-Encoding: chunked\r\n\r\n1;"), without_end(say, block);
  });
  expect_no_answer([&](const auto& say) {
    say(ok + "Transfer-Encoding: chunked\r\n\r\n");
    without_end(say, "10000\r\n" + block + "\r\n");
  });
  expect_no_answer([&](const auto& say) {
    say(ok + "Content-Length: 1073741824\r\n\r\n"), without_end(say, block);
  });
  expect_no_answer([&](const auto& say) { say(ok + "\r\n"), without_end(say, block); });
  EXPECT_LT(test::peak_memory() - before, 32 << 20);
}

TEST(HostileServerTest, SilenceAndCutsAreNoAnswer) {
  expect_no_answer([](const auto&) {});
  expect_no_answer([](const auto&) { std::this_thread::sleep_for(milliseconds(900)); });
  expect_no_answer(
      [](const auto& say) { say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"); });
  expect_no_answer([](const auto& say) { say("HTTP/1.1 2"); });
  // A byte now and then is no answer either: all of it has one time.
  expect_no_answer([](const auto& say) {
    for (int i = 0; i < 30 && say("H"); ++i) std::this_thread::sleep_for(milliseconds(100));
  });
}

/// However it deals out its words, over however many answers and connections.
TEST(HostileServerTest, AnExchangeHasOneTimeForAllOfIt) {
  const auto slowly = [](const auto& say, const std::string& text) {
    for (const char letter : text) {
      if (!say({letter})) return;
      std::this_thread::sleep_for(milliseconds(10));
    }
  };
  const auto takes = [](Transport& client, milliseconds time) {
    const auto begin = Clock::now();
    EXPECT_THROW((void)client.exchange({.path = "/v1/task", .max_bytes = 1000, .max_time = time}),
                 base::IoError);
    return Clock::now() - begin;
  };
  const std::string word = "HTTP/1.1 103 Early Hints\r\n\r\n";  // 28 letters
  const HostileServer interim([&](const auto& say) {
    for (int i = 0; i < 4; ++i) slowly(say, word);
    slowly(say, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
    slowly(say, std::string(100, 'x'));
  });
  EXPECT_LT(takes(*interim.client(), milliseconds(10000)), milliseconds(700));  // its own are 400
  EXPECT_LT(takes(*interim.client(), milliseconds(50)), milliseconds(300));
  bool first = true;
  const HostileServer again([&](const auto& say) {
    if (first) say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    if (!first) slowly(say, std::string(100, 'x'));
    first = false;
  });
  // It ended the connection that it promised to keep; the next one is of the same exchange.
  const auto kept = again.client();
  EXPECT_EQ(kept->exchange({.path = "/v1/task"}).status, 200);
  EXPECT_LT(takes(*kept, milliseconds(400)), milliseconds(700));
}

TEST(HostileServerTest, RedirectsAreNotFollowed) {
  const HostileServer server([](const auto& say) {
    say("HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(server.client()->exchange({.path = "/v1/task"}).status, 307);
}

}  // namespace hostile_server_test
}  // namespace tacet::local
