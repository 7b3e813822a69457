// A server whose places are taken by connections that carry no token.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tacet/local/http/http_client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"
#include "tests/support/local_task.h"
#include "tests/support/raw_client.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace connections_test {

using std::chrono::milliseconds;

class ConnectionsTest : public testing::Test {
 protected:
  ConnectionsTest() {
    EXPECT_TRUE(StateFile::make(state_, test::small_task({.delay_seconds = 0})));
    tokens_ = StateFile(state_, ledger::Access::write).enrol(40);
    ListenOptions options;
    options.limits.connections = 64;
    options.limits.connections_per_address = 8;
    options.limits.connections_per_second = options.limits.failed_per_second = 1e6;
    server_ = std::make_unique<HttpServer>(options);
    service_ = std::make_unique<Service>(state_, ServiceOptions{.requests_per_second = 1e6});
    server_->start(*service_);
  }
  ~ConnectionsTest() override { server_->stop(); }

  [[nodiscard]] std::unique_ptr<Transport> client() const {
    return http_client({.server = {"127.0.0.1", std::to_string(server_->port()), false},
                        .patience = milliseconds(5000)});
  }
  /// Nine addresses of this machine take all the places that each may.
  std::vector<std::unique_ptr<test::RawClient>> flood(const std::string& text) const {
    std::vector<std::unique_ptr<test::RawClient>> held;
    for (std::uint32_t address = 0x7f000010; address < 0x7f000019; ++address) {
      for (int i = 0; i < 8; ++i) {
        held.push_back(std::make_unique<test::RawClient>(server_->port(), address));
        if (!text.empty()) held.back()->send(text);
      }
    }
    for (int i = 0; i < 200 && server_->counters().opened + server_->counters().refused < 72; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return held;
  }
  [[nodiscard]] HttpReply ask_for_slot(Transport& from, std::size_t device) const {
    return from.exchange({.method = "POST", .path = "/v1/slot", .token = tokens_[device]});
  }

  test::ScratchFolder folder_;
  std::filesystem::path state_ = folder_.path() / "task.state";
  std::vector<std::string> tokens_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Service> service_;
};

TEST_F(ConnectionsTest, IdleOnesWithoutATokenKeepNobodyOut) {
  for (const std::string text : {"", "POST /v1/rep", "GET /v1/task HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    const auto held = flood(text);
    for (std::size_t device = 0; device < 3; ++device) {
      EXPECT_EQ(ask_for_slot(*client(), device).status, 200) << text;
    }
    EXPECT_LE(server_->counters().open, 64);
  }
  EXPECT_GT(server_->counters().ended_early, 0);
}

TEST_F(ConnectionsTest, OnesThatCarriedATokenStay) {
  const auto device = client();
  EXPECT_EQ(ask_for_slot(*device, 0).status, 200);
  const auto opened = server_->counters().opened.load();
  const auto held = flood("");
  EXPECT_EQ(ask_for_slot(*device, 0).status, 200);
  // Over the connection that it had: beside the flood nobody came.
  EXPECT_LE(server_->counters().opened, opened + 72);
  EXPECT_EQ(server_->counters().requests, 2);
}

TEST_F(ConnectionsTest, ATokenThatIsNoneVouchesForNobody) {
  const auto held = flood(
      "POST /v1/slot HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nAuthorization: "
      "Bearer " +
      std::string(64, 'a') + "\r\n\r\n");
  EXPECT_EQ(ask_for_slot(*client(), 1).status, 200);
}

TEST_F(ConnectionsTest, ASlotThatIsWaitedForIsGivenWhenOneIsFree) {
  const auto devices = client();  // all of them over one connection
  const auto slots = static_cast<std::size_t>(service_->task().terms.slots);
  for (std::size_t i = 0; i < slots; ++i) EXPECT_EQ(ask_for_slot(*devices, i).status, 200);
  int status = 0;
  std::thread waiting([&] { status = ask_for_slot(*client(), slots).status; });
  for (int i = 0; i < 200 && service_->snapshot().waiting == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(service_->snapshot().waiting, 1);
  const auto slot = slot_from_json(ask_for_slot(*devices, 0).body);
  EXPECT_EQ(devices
                ->exchange({.method = "POST",
                            .path = "/v1/report",
                            .token = tokens_[0],
                            .body = test::any_report(service_->task(), slot, 1)})
                .status,
            200);
  waiting.join();
  EXPECT_EQ(status, 200);
  // Nobody sends: who waits is told to come again.
  const auto reply = ask_for_slot(*client(), slots + 1);
  EXPECT_EQ(reply.status, 503);
  EXPECT_GE(reply.retry_seconds, 1);
}

TEST_F(ConnectionsTest, MethodsThatAPathTakesAreNamed) {
  const auto answer_to = [&](const std::string& line) {
    const test::RawClient raw(server_->port());
    raw.send(line + " HTTP/1.1\r\nHost: x\r\n\r\n");
    return raw.receive(milliseconds(300));
  };
  EXPECT_NE(answer_to("OPTIONS /v1/slot").find("HTTP/1.1 204"), std::string::npos);
  EXPECT_NE(answer_to("OPTIONS /v1/slot").find("Allow: POST, OPTIONS\r\n"), std::string::npos);
  EXPECT_NE(answer_to("DELETE /v1/task").find("Allow: GET, HEAD, OPTIONS\r\n"), std::string::npos);
  const auto head = answer_to("HEAD /v1/task");
  EXPECT_NE(head.find("HTTP/1.1 200"), std::string::npos);
  EXPECT_EQ(head.find("tacet_task"), std::string::npos);
}

/// A server that says first that it goes on.
TEST(HttpClientTest, AnswersThatAnnounceAnotherOneAreReadOver) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listening, 8), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto exchange = [&](const std::string& text) {
    std::thread serving([&] {
      const int one = ::accept(listening, nullptr, nullptr);
      char bytes[4096];
      static_cast<void>(::recv(one, bytes, sizeof bytes, 0));
      static_cast<void>(::send(one, text.data(), text.size(), MSG_NOSIGNAL));
      ::close(one);
    });
    HttpReply reply;
    try {
      reply = http_client({.server = {"127.0.0.1", std::to_string(ntohs(address.sin_port)), false},
                           .patience = milliseconds(5000)})
                  ->exchange({.path = "/a"});
    } catch (const base::IoError&) {
      reply.status = -1;
    }
    serving.join();
    return reply;
  };
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  EXPECT_EQ(exchange("HTTP/1.1 100 Continue\r\n\r\n" + hints + answer).body, "hello");
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += hints;
  EXPECT_EQ(exchange(endless + answer).status, -1);
  ::close(listening);
}

}  // namespace connections_test
}  // namespace tacet::local
