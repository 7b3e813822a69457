// Server and devices over real sockets: TLS, limits, and clients that mean harm.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/device/client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/replay.h"
#include "tacet/local/service/service.h"
#include "tests/support/certificates.h"
#include "tests/support/local_task.h"
#include "tests/support/raw_client.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace network_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class NetworkTest : public testing::Test {
 protected:
  NetworkTest() : task_(test::small_task({.delay_seconds = 0})) {
    EXPECT_TRUE(StateFile::make(state_, task_));
    tokens_ = StateFile(state_, ledger::Access::write).enrol(40);
    limits_.connections_per_address = 4096;
    limits_.connections_per_second = limits_.failed_per_second = 1e6;
    limits_.header = limits_.handshake = milliseconds(400);
    limits_.body = milliseconds(600);
    limits_.idle = milliseconds(1000);
  }
  ~NetworkTest() override { stop(); }

  void start(ListenOptions options = {}, double requests_per_second = 1e6) {
    options.limits = limits_;
    server_ = std::make_unique<HttpServer>(options);
    service_ = std::make_unique<Service>(
        state_, ServiceOptions{.requests_per_second = requests_per_second});
    server_->start(*service_);
  }
  void start_secure(const test::Authority::Files& files, const std::string& client_ca = {}) {
    ListenOptions options;
    options.certificate = files.certificate;
    options.key = files.key;
    options.client_ca = client_ca;
    start(options);
  }
  void stop() {
    if (server_) server_->stop();
    service_.reset();
    server_.reset();
  }
  [[nodiscard]] std::unique_ptr<Transport> client(const std::string& host = "127.0.0.1",
                                                  const test::Authority::Files& own = {}) const {
    HttpClientOptions options;
    options.server = {host, std::to_string(server_->port()), secure_};
    options.ca = ca_;
    options.certificate = own.certificate;
    options.key = own.key;
    options.patience = milliseconds(5000);
    return http_client(options);
  }
  [[nodiscard]] std::string answer_to(const std::string& text, int patience = 1500) const {
    const test::RawClient raw(server_->port());
    raw.send(text);
    return raw.receive(milliseconds(patience));
  }
  [[nodiscard]] std::string report_head(const std::string& more, std::size_t device = 0) const {
    return "POST /v1/report HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + tokens_[device] +
           "\r\n" + more + "\r\n";
  }
  [[nodiscard]] std::string length_line() const {
    return "Content-Length: " + std::to_string(task_.layout.bytes()) + "\r\n";
  }
  /// Time that an honest request takes now.
  [[nodiscard]] milliseconds honest() const {
    const auto begin = Clock::now();
    EXPECT_EQ(client()->exchange({.path = "/v1/task"}).body, task_.text.substr(0, 65536));
    return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  }
  [[nodiscard]] std::int64_t refusals(Reason reason) const {
    return service_->counters().of(reason);
  }

  test::ScratchFolder folder_;
  std::filesystem::path state_ = folder_.path() / "task.state";
  Task task_;
  std::vector<std::string> tokens_;
  HttpLimits limits_;
  bool secure_ = false;
  std::string ca_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Service> service_;
};

TEST_F(NetworkTest, DevicesTakePartOverTlsAndTheReplayAgrees) {
  const test::Authority authority;
  start_secure(authority.issue(folder_.path(), "server", "IP:127.0.0.1"));
  secure_ = true;
  ca_ = authority.file(folder_.path());
  const Policy policy{.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};
  const auto join = [&](std::size_t device) {
    const auto record = folder_.path() / ("record" + std::to_string(device) + ".csv");
    std::ofstream(record) << "age,town,bought\n" << device << ",Bern,yes\n";
    const auto source = random::SecureSource::create();
    const auto transport = client();
    return take_part({.task = task_,
                      .policy = policy,
                      .record = record,
                      .folder = folder_.path() / ("device" + std::to_string(device)),
                      .token = tokens_[device]},
                     {.transport = *transport,
                      .source = *source,
                      .wait = [](milliseconds) { std::this_thread::sleep_for(milliseconds(2)); }})
        .answer;
  };
  std::atomic<int> counted{0};
  std::vector<std::thread> devices;
  for (std::size_t i = 0; i < 4; ++i) {
    devices.emplace_back([&, i] {
      for (std::size_t device = i; device < 40; device += 4) {
        if (join(device) == "counted") ++counted;
      }
    });
  }
  for (auto& device : devices) device.join();
  EXPECT_EQ(counted, 40);
  EXPECT_TRUE(service_->snapshot().finished);
  stop();
  StateFile file(state_, ledger::Access::read);
  EXPECT_EQ(replay(file, ReplayCheck::every_round).rounds, 10);
}

TEST_F(NetworkTest, ACertificateThatProvesNothingIsRefused) {
  const test::Authority authority;
  const test::Authority stranger;
  secure_ = true;
  ca_ = authority.file(folder_.path());
  const auto refused = [&](const test::Authority::Files& files, const std::string& host) {
    start_secure(files);
    try {
      (void)client(host)->exchange({.path = "/v1/task"});
      ADD_FAILURE() << "a connection";
    } catch (const base::IoError& error) {
      EXPECT_NE(std::string(error.what()).find("certificate"), std::string::npos) << error.what();
    }
    stop();
  };
  refused(authority.issue(folder_.path(), "name", "DNS:example.org"), "127.0.0.1");
  refused(authority.issue(folder_.path(), "old", "IP:127.0.0.1", -3600), "127.0.0.1");
  refused(stranger.issue(folder_.path(), "strange", "IP:127.0.0.1"), "127.0.0.1");
  refused(authority.issue(folder_.path(), "localname", "IP:127.0.0.1"), "localhost");
  start_secure(authority.issue(folder_.path(), "right", "IP:127.0.0.1"));
  EXPECT_EQ(client()->exchange({.path = "/v1/task"}).status, 200);
}

TEST_F(NetworkTest, AClientsCertificateIsAnIdentity) {
  const test::Authority authority;
  start_secure(authority.issue(folder_.path(), "server", "IP:127.0.0.1"),
               authority.file(folder_.path()));
  secure_ = true;
  ca_ = authority.file(folder_.path());
  EXPECT_THROW((void)client()->exchange({.path = "/v1/task"}), base::IoError);
  const auto own = authority.issue(folder_.path(), "device", "DNS:device");
  const auto first = client("127.0.0.1", own);
  const auto slot = slot_from_json(first->exchange({.method = "POST", .path = "/v1/slot"}).body);
  const auto report = test::any_report(task_, slot, 1);
  const HttpRequest send{.method = "POST", .path = "/v1/report", .body = report};
  EXPECT_EQ(first->exchange(send).status, 200);
  EXPECT_EQ(client("127.0.0.1", own)->exchange(send).status, 200);  // the same again
  EXPECT_EQ(
      client("127.0.0.1", own)
          ->exchange(
              {.method = "POST", .path = "/v1/report", .body = test::any_report(task_, slot, 2)})
          .status,
      409);
}

TEST_F(NetworkTest, CertificatesThatCannotServeAreNamed) {
  const test::Authority authority;
  const auto one = authority.issue(folder_.path(), "one", "IP:127.0.0.1");
  const auto two = authority.issue(folder_.path(), "two", "IP:127.0.0.1");
  EXPECT_THROW(start_secure({one.certificate, two.key}), base::IoError);
  EXPECT_THROW(start_secure({one.certificate, "none"}), base::IoError);
  EXPECT_THROW(start_secure({"none", one.key}), base::IoError);
  start();
  ListenOptions taken;
  taken.port = server_->port();
  EXPECT_THROW(HttpServer{taken}, base::IoError);
  EXPECT_THROW((void)listen_at("--listen", "127.0.0.1"), base::UsageError);
  EXPECT_THROW((void)listen_at("--listen", "127.0.0.1:99999"), base::UsageError);
}

TEST_F(NetworkTest, HalfSentBodiesHoldUpNobody) {
  start();
  std::vector<std::unique_ptr<test::RawClient>> hostile;
  for (int i = 0; i < 400; ++i) {
    hostile.push_back(std::make_unique<test::RawClient>(server_->port()));
    hostile.back()->send(report_head(length_line()) + "half");
  }
  EXPECT_LT(honest(), milliseconds(500));
  for (int i = 0; i < 100 && server_->counters().open > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_LE(server_->counters().open, 1);  // their time was over
  EXPECT_GE(server_->counters().timeouts, 400);
}

TEST_F(NetworkTest, SlowHeadersAreCutOff) {
  start();
  const test::RawClient slow(server_->port());
  const auto begin = Clock::now();
  while (Clock::now() - begin < milliseconds(3000) && slow.send("G")) {
    std::this_thread::sleep_for(milliseconds(100));
    if (server_->counters().timeouts > 0) break;
  }
  EXPECT_EQ(server_->counters().timeouts, 1);
  EXPECT_LT(Clock::now() - begin, milliseconds(2500));
}

TEST_F(NetworkTest, WhatIsNoRequestOfTheProtocolIsRefusedWithItsReason) {
  start();
  const auto has = [&](const std::string& request, Reason reason) {
    const auto before = refusals(reason);
    const auto text = answer_to(request, 300);
    EXPECT_NE(text.find(reason_names.of(reason)), std::string::npos) << request << text;
    EXPECT_EQ(refusals(reason), before + 1) << request;
  };
  const std::string tail = "Host: x\r\n\r\n";
  has("GET /v2/task HTTP/1.1\r\n" + tail, Reason::unknown_path);
  has("DELETE /v1/task HTTP/1.1\r\n" + tail, Reason::wrong_method);
  has("GET /v1/model/../task HTTP/1.1\r\n" + tail, Reason::unknown_model);
  has("GET /v1/task HTTP/1.1\r\nContent-Length: 3\r\n" + tail + "abc", Reason::bad_request);
  has("this is no request\r\n\r\n", Reason::bad_request);
  has(report_head("Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n",
      Reason::missing_length);
  has(report_head(""), Reason::missing_length);
  has(report_head("Content-Length: 1073741824\r\n") + std::string(100000, 'x'),
      Reason::wrong_length);
  has(report_head("Content-Length: 3\r\n") + "abc", Reason::wrong_length);
  has("POST /v1/slot HTTP/1.1\r\nContent-Length: 0\r\n" + tail, Reason::missing_token);
  has("POST /v1/slot HTTP/1.1\r\nContent-Length: 0\r\nAuthorization: Bearer x\r\n" + tail,
      Reason::unknown_token);
  has(report_head(length_line()) + std::string(task_.layout.bytes(), 'x'), Reason::wrong_magic);
  EXPECT_EQ(service_->snapshot().reports, 0);
}

TEST_F(NetworkTest, SmuggledAndLongRequestsAreRefused) {
  start();
  const auto two = report_head(length_line() + "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n";
  EXPECT_NE(answer_to(two, 300).find("HTTP/1.1 4"), std::string::npos);
  const auto lengths = report_head("Content-Length: 3\r\nContent-Length: 4\r\n") + "abcd";
  EXPECT_NE(answer_to(lengths, 300).find("HTTP/1.1 4"), std::string::npos);
  const auto text = answer_to(
      "GET /v1/task HTTP/1.1\r\nHost: x\r\nLong: " + std::string(20000, 'x') + "\r\n\r\n", 300);
  EXPECT_NE(text.find("bad_request"), std::string::npos) << text;
  EXPECT_LT(honest(), milliseconds(500));
}

TEST_F(NetworkTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  const std::string get = "GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n";
  const auto text = answer_to(get + get + "GET /v1/task HTTP/1.1\r\nHost: x\r\n\r\n", 300);
  const auto first = text.find("unknown_path");
  const auto second = text.find("unknown_path", first + 1);
  EXPECT_NE(second, std::string::npos);
  EXPECT_LT(second, text.find("tacet_task"));
}

TEST_F(NetworkTest, OneTokenFromManyConnectionsCountsOnce) {
  start();
  const auto slot = slot_from_json(
      client()->exchange({.method = "POST", .path = "/v1/slot", .token = tokens_[0]}).body);
  std::atomic<int> counted{0};
  std::atomic<int> used{0};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      const auto reply = client()->exchange({.method = "POST",
                                             .path = "/v1/report",
                                             .token = tokens_[0],
                                             .body = test::any_report(task_, slot, i)});
      if (reply.status == 200) ++counted;
      if (reply.status == 409) ++used;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counted, 1);
  EXPECT_EQ(used, 63);
}

TEST_F(NetworkTest, EachFlippedBitOfAReportIsRefused) {
  start();
  const auto kept = client();
  const auto slot = slot_from_json(
      kept->exchange({.method = "POST", .path = "/v1/slot", .token = tokens_[0]}).body);
  const auto report = test::any_report(task_, slot, 1);
  for (std::size_t bit = 0; bit < 8 * report.size(); ++bit) {
    auto flipped = report;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto status =
        kept->exchange(
                {.method = "POST", .path = "/v1/report", .token = tokens_[0], .body = flipped})
            .status;
    // 413: of the length that the frame says of itself.
    EXPECT_TRUE(status == 422 || (status == 413 && bit / 8 >= 52 && bit / 8 < 56)) << bit;
  }
  EXPECT_EQ(service_->snapshot().reports, 0);
}

TEST_F(NetworkTest, LimitsOfConnectionsHold) {
  limits_.connections_per_address = 5;
  start();
  std::vector<std::unique_ptr<test::RawClient>> held;
  for (int i = 0; i < 20; ++i) {
    held.push_back(std::make_unique<test::RawClient>(server_->port()));
  }
  for (int i = 0; i < 100 && server_->counters().refused < 15; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(server_->counters().refused, 15);
  EXPECT_EQ(server_->counters().open, 5);
}

TEST_F(NetworkTest, AnAddressOpensSoManyConnectionsASecond) {
  limits_.connections_per_second = 5;
  start();
  for (int i = 0; i < 20; ++i) {
    const test::RawClient one(server_->port());
    static_cast<void>(one.receive(milliseconds(0)));
  }
  const test::RawClient other(server_->port(), 0x7f000009);
  other.send("GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(other.receive(milliseconds(300)).find("unknown_path"), std::string::npos);
  EXPECT_GE(server_->counters().refused, 10);  // five at once, and five a second since
  stop();
  limits_.trusted_proxies = {"127.0.0.1"};
  start();
  for (int i = 0; i < 20; ++i) EXPECT_LT(honest(), milliseconds(500));
  EXPECT_EQ(server_->counters().refused, 0);
}

TEST_F(NetworkTest, AnAddressWhoseConnectionsComeToNothingIsHeldOff) {
  const auto attempts = [&] {
    for (int i = 0; i < 20; ++i) {
      const test::RawClient one(server_->port(), 0x7f000009);
      one.send("POST /v1/rep");
      std::this_thread::sleep_for(milliseconds(5));
    }
    for (int i = 0; i < 100 && server_->counters().open > 0; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  };
  limits_.failed_per_second = 2;
  start();
  attempts();
  EXPECT_GT(server_->counters().refused, 0);
  EXPECT_LT(server_->counters().truncated, 20);
  EXPECT_LT(honest(), milliseconds(500));  // of another address
  stop();
  limits_.trusted_proxies = {"127.0.0.9"};
  start();
  attempts();
  EXPECT_EQ(server_->counters().refused, 0);
  EXPECT_EQ(server_->counters().truncated, 20);
}

TEST_F(NetworkTest, NewTokensAreKnownWhileNobodyReports) {
  start();
  const auto late = StateFile(state_, ledger::Access::write).enrol(1).front();
  const HttpRequest ask{.method = "POST", .path = "/v1/slot", .token = late};
  EXPECT_EQ(client()->exchange(ask).status, 401);
  service_->read_tokens();
  for (int i = 0; i < 500 && client()->exchange(ask).status == 401; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(client()->exchange(ask).status, 200);
}

TEST_F(NetworkTest, ReadingIsLimitedAsWritingIs) {
  start({}, 5);
  const auto kept = client();
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    if (kept->exchange({.path = "/v1/task"}).status == 429) ++refused;
  }
  EXPECT_GE(refused, 10);  // five at once, and five a second since
  EXPECT_EQ(refusals(Reason::too_often), refused);
  EXPECT_EQ(kept->exchange({.method = "POST", .path = "/v1/slot", .token = tokens_[0]}).status,
            200);
}

TEST_F(NetworkTest, RequestsUnderWayAreAnsweredBeforeTheEnd) {
  start();
  const auto kept = client();
  const auto slot = slot_from_json(
      kept->exchange({.method = "POST", .path = "/v1/slot", .token = tokens_[0]}).body);
  const test::RawClient half(server_->port());
  const auto report = test::any_report(task_, slot, 1);
  half.send(report_head(length_line()) + report.substr(0, 20));
  std::this_thread::sleep_for(milliseconds(50));
  std::thread rest([&] {
    std::this_thread::sleep_for(milliseconds(100));
    half.send(report.substr(20));
  });
  server_->drain(milliseconds(5000));
  rest.join();
  EXPECT_NE(half.receive(milliseconds(500)).find("counted"), std::string::npos);
  EXPECT_FALSE(test::RawClient(server_->port()).connected());
}

}  // namespace network_test
}  // namespace tacet::local
