#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tacet/local/http/http_client.h"
#include "tacet/local/http/http_server.h"
#include "tests/support/certificates.h"
#include "tests/support/raw_client.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace tls_stream_test {

using std::chrono::milliseconds;

/// Answers everybody with one text.
class Reciter : public HttpHandler {
 public:
  std::shared_ptr<const std::string> text = std::make_shared<const std::string>("hello");
  [[nodiscard]] std::optional<HttpAnswer> admit(RequestHead&) override { return std::nullopt; }
  void answer(const RequestHead&, std::string body, std::function<void(HttpAnswer)> done) override {
    if (!body.empty()) return done({.body = std::move(body)});
    done({.shared = text});
  }
  [[nodiscard]] HttpAnswer not_understood() override { return {.status = 400}; }
  [[nodiscard]] HttpAnswer overloaded() override { return {.status = 503}; }
};

/// A client that does what a test likes over TLS.
class RawTls {
 public:
  explicit RawTls(std::uint16_t port)
      : socket(port),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        tls_(SSL_new(context_.get()), SSL_free) {
    SSL_set_fd(tls_.get(), socket.descriptor());
    EXPECT_EQ(SSL_connect(tls_.get()), 1);
  }
  void send(std::string_view text) const {
    EXPECT_EQ(SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }
  void ask_for_new_keys() const {
    SSL_key_update(tls_.get(), SSL_KEY_UPDATE_REQUESTED);
    static_cast<void>(SSL_do_handshake(tls_.get()));  // fails where the server has ended it
  }
  [[nodiscard]] std::string receive_some() const {
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(
        std::max(0, SSL_read(tls_.get(), text.data(), static_cast<int>(text.size())))));
    return text;
  }
  test::RawClient socket;

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
};

class TlsStreamTest : public testing::Test {
 protected:
  void start(HttpLimits limits = {}) {
    const auto files = authority_.issue(folder_.path(), "server", "IP:127.0.0.1");
    limits.connections_per_second = limits.failed_per_second = 1e6;
    server_.emplace(ListenOptions{
        .certificate = files.certificate, .key = files.key, .limits = std::move(limits)});
    server_->start(reciter_);
  }
  [[nodiscard]] std::unique_ptr<Transport> client() const {
    return http_client({.server = {"127.0.0.1", std::to_string(server_->port()), true},
                        .ca = authority_.file(folder_.path())});
  }
  void wait_until_closed() const {
    for (int i = 0; i < 500 && server_->counters().open > 0; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_EQ(server_->counters().open, 0);
  }

  test::ScratchFolder folder_;
  test::Authority authority_;
  Reciter reciter_;
  std::optional<HttpServer> server_;
};

TEST_F(TlsStreamTest, WhatIsLongerThanAllBuffersArrivesWhole) {
  std::string text(std::size_t{1} << 24, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i % 251);
  reciter_.text = std::make_shared<const std::string>(text);
  start();
  const auto kept = client();
  EXPECT_TRUE(kept->exchange({.path = "/", .max_bytes = text.size()}).body == text);
  const std::string sent = text.substr(0, 1000000);
  EXPECT_TRUE(
      kept->exchange({.method = "POST", .path = "/", .body = sent, .max_bytes = 1000000}).body ==
      sent);
  EXPECT_EQ(server_->counters().opened, 1);
}

TEST_F(TlsStreamTest, ARequestInRecordsOfAByteIsARequest) {
  start();
  const RawTls one(server_->port());
  for (const char byte : std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) one.send({&byte, 1});
  EXPECT_NE(one.receive_some().find("hello"), std::string::npos);
}

TEST_F(TlsStreamTest, WhoShakesNoHandsIsCutOff) {
  start({.handshake = milliseconds(100)});
  const test::RawClient silent(server_->port());
  EXPECT_EQ(silent.receive(milliseconds(5000)), "");
  const test::RawClient noise(server_->port());
  noise.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  static_cast<void>(noise.receive(milliseconds(5000)));
  wait_until_closed();
  EXPECT_EQ(server_->counters().failed_handshakes, 2);
  EXPECT_EQ(client()->exchange({.path = "/"}).body, "hello");
}

TEST_F(TlsStreamTest, WhoTakesNoAnswerIsCutOff) {
  reciter_.text = std::make_shared<const std::string>(std::size_t{1} << 24, 'x');
  start({.body = milliseconds(200)});
  const RawTls one(server_->port());
  one.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_until_closed();
}

TEST_F(TlsStreamTest, TimesAreThoseOfWhatIsUnderWay) {
  start({.header = milliseconds(100), .idle = milliseconds(600)});
  const RawTls kept(server_->port());
  for (int i = 0; i < 3; ++i) {
    kept.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(kept.receive_some().find("hello"), std::string::npos);
    std::this_thread::sleep_for(milliseconds(200));  // above the time for a header
  }
  EXPECT_EQ(server_->counters().open, 1);
  kept.send("GET / HT");  // a header has begun
  const auto begin = std::chrono::steady_clock::now();
  wait_until_closed();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(90));
  EXPECT_EQ(server_->counters().timeouts, 1);
  const RawTls idle(server_->port());
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(idle.receive_some().find("hello"), std::string::npos);
  wait_until_closed();
  EXPECT_EQ(server_->counters().timeouts, 1);  // to be idle is no fault
}

TEST_F(TlsStreamTest, NewKeysAreAFewTimesWhatAClientMayAskFor) {
  start();
  const RawTls modest(server_->port());
  for (int i = 0; i < 4; ++i) {
    modest.ask_for_new_keys();
    modest.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(modest.receive_some().find("hello"), std::string::npos);
  }
  EXPECT_EQ(server_->counters().open, 1);
  std::signal(SIGPIPE, SIG_IGN);  // what is sent to a connection that was ended
  const RawTls greedy(server_->port());
  for (int i = 0; i < 100; ++i) greedy.ask_for_new_keys();
  for (int i = 0; i < 500 && server_->counters().open > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(server_->counters().open, 1);
}

/// Whether both come to an agreement with TLS 1.2 and this cipher.
bool shakes_hands(std::uint16_t port, const char* cipher) {
  const test::RawClient socket(port);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_set_cipher_list(context.get(), cipher), 1);
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
  SSL_set_fd(tls.get(), socket.descriptor());
  return SSL_connect(tls.get()) == 1;
}

TEST_F(TlsStreamTest, KeysOfTheConnectionAloneAreAcceptedAlsoWithAKeyOfRsa) {
  const auto files = authority_.issue_rsa(folder_.path(), "rsa", "IP:127.0.0.1");
  server_.emplace(ListenOptions{.certificate = files.certificate, .key = files.key});
  server_->start(reciter_);
  EXPECT_TRUE(shakes_hands(server_->port(), "ECDHE-RSA-AES128-GCM-SHA256"));
  for (const char* weak : {"AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA"}) {
    EXPECT_FALSE(shakes_hands(server_->port(), weak)) << weak;
  }
}

/// A server of TLS 1.2 with one cipher, for one connection; its port.
class OldServer {
 public:
  OldServer(const test::Authority::Files& files, const char* cipher)
      : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
    EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), cipher), 1);
    SSL_CTX_use_certificate_file(context_.get(), files.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), files.key.c_str(), SSL_FILETYPE_PEM);
    std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_accept("127.0.0.1:0"), BIO_free);
    EXPECT_EQ(BIO_do_accept(bio.get()), 1);
    port_ = static_cast<const char*>(BIO_ptr_ctrl(bio.get(), BIO_C_GET_ACCEPT, 1));
    thread_ = std::thread([this, accept = std::move(bio)] {
      if (BIO_do_accept(accept.get()) != 1) return;
      const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context_.get()), SSL_free);
      BIO* const client = BIO_pop(accept.get());
      SSL_set_bio(tls.get(), client, client);
      if (SSL_accept(tls.get()) != 1) return;
      char request[4096];
      if (SSL_read(tls.get(), request, sizeof request) <= 0) return;
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
      SSL_write(tls.get(), answer.data(), static_cast<int>(answer.size()));
    });
  }
  ~OldServer() { thread_.join(); }
  OldServer(const OldServer&) = delete;
  OldServer& operator=(const OldServer&) = delete;
  [[nodiscard]] std::string port() const { return port_; }

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::string port_;
  std::thread thread_;
};

TEST_F(TlsStreamTest, ADeviceRefusesAServerWithoutKeysOfTheConnection) {
  const auto files = authority_.issue_rsa(folder_.path(), "rsa", "IP:127.0.0.1");
  const auto asks = [&](const char* cipher) {
    const OldServer server(files, cipher);
    const auto device = http_client(
        {.server = {"127.0.0.1", server.port(), true}, .ca = authority_.file(folder_.path())});
    return device->exchange({.path = "/"}).body;
  };
  EXPECT_EQ(asks("ECDHE-RSA-AES128-GCM-SHA256"), "hi");
  EXPECT_THROW(static_cast<void>(asks("AES128-GCM-SHA256")), base::IoError);
}

TEST_F(TlsStreamTest, ACommonNameIsNoNameOfAServer) {
  const auto with = [&](const char* alternative) {
    const auto files = authority_.issue(folder_.path(), "localhost", alternative);
    server_.emplace(ListenOptions{.certificate = files.certificate, .key = files.key});
    server_->start(reciter_);
    const auto device = http_client({.server = {"localhost", std::to_string(server_->port()), true},
                                     .ca = authority_.file(folder_.path())});
    return device->exchange({.path = "/"}).body;
  };
  EXPECT_EQ(with("DNS:localhost"), "hello");
  EXPECT_THROW(static_cast<void>(with(test::Authority::none)), UntrustedServer);
}

TEST_F(TlsStreamTest, BytesThatAreNoRecordEndTheirConnectionAlone) {
  start();
  const RawTls one(server_->port());
  one.socket.send(std::string(100, '\xff'));
  wait_until_closed();
  EXPECT_EQ(client()->exchange({.path = "/"}).body, "hello");
}

}  // namespace tls_stream_test
}  // namespace tacet::local
