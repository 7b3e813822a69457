#include "tests/support/memory_connection.h"
// The connection first: it knows what Asio needs before it.
#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <string>
#include <vector>

#include "tacet/local/http/http_server.h"
#include "tests/support/raw_client.h"

namespace tacet::local {
namespace connection_test {

/// Notes what comes and answers everything.
struct Notes : HttpHandler {
  std::vector<RequestHead> heads;
  std::vector<std::string> bodies;
  std::vector<std::function<void(HttpAnswer)>> kept;  // answers that take their time
  bool keeps = false;

  std::optional<HttpAnswer> admit(RequestHead& head) override {
    heads.push_back(head);
    if (head.path == "/refused") return HttpAnswer{.status = 403, .body = "no"};
    head.known = head.token.size() == 64;
    if (head.known) head.note[1] = static_cast<std::uint8_t>(head.token.front());
    head.note[0] = 7;
    return std::nullopt;
  }
  void answer(const RequestHead& head, std::string body,
              std::function<void(HttpAnswer)> done) override {
    EXPECT_EQ(head.note[0], 7);
    if (head.path == "/broken") throw std::bad_alloc();
    bodies.push_back(std::move(body));
    if (keeps) return kept.push_back(std::move(done));
    done({.shared = std::make_shared<const std::string>("shared")});
  }
  HttpAnswer not_understood() override { return {.status = 400, .body = "not understood"}; }
  HttpAnswer overloaded() override { return {.status = 503, .body = "overloaded"}; }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ConnectionTest, ReadsOneRequestAfterTheOther) {
  test::MemoryConnection connection;
  Notes notes;
  const auto text = connection.exchange(notes,
                                        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: "
                                        "5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(count(text, "HTTP/1.1 200"), 2U);
  EXPECT_EQ(count(text, "\r\n\r\nshared"), 2U);
  ASSERT_EQ(notes.bodies.size(), 2U);
  EXPECT_EQ(notes.bodies[0], "hello");
  EXPECT_EQ(notes.heads[1].path, "/b");
  EXPECT_EQ(connection.body_bytes(), 0);
}

TEST(ConnectionTest, EveryCutOfARequestIsHarmless) {
  const std::string whole = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::MemoryConnection connection;
    Notes notes;
    const auto text = connection.exchange(notes, whole.substr(0, length));
    EXPECT_TRUE(notes.bodies.empty()) << length;
    EXPECT_EQ(text, "") << length;
    EXPECT_EQ(connection.body_bytes(), 0) << length;
    EXPECT_EQ(connection.counters.truncated, length == 0 ? 0 : 1) << length;
  }
}

TEST(ConnectionTest, ARefusedBodyIsNotReadAndEndsTheConnection) {
  test::MemoryConnection connection;
  Notes notes;
  const auto text = connection.exchange(notes,
                                        "POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: "
                                        "5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(count(text, "HTTP/1.1 403"), 1U);
  EXPECT_EQ(notes.heads.size(), 1U);
}

TEST(ConnectionTest, BodiesTogetherHaveOneRoom) {
  test::MemoryConnection connection;
  connection.limits.body_bytes = 10;
  Notes notes;
  notes.keeps = true;  // the first one is not answered yet
  const std::string post = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n123456";
  EXPECT_EQ(connection.exchange(notes, post), "");
  EXPECT_EQ(connection.body_bytes(), 6);
  EXPECT_EQ(count(connection.exchange(notes, post), "overloaded"), 1U);
  EXPECT_EQ(
      connection.exchange(notes, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n1234"),
      "");
  EXPECT_EQ(notes.bodies.size(), 2U);
  notes.kept.clear();  // their connections go
  EXPECT_EQ(connection.body_bytes(), 0);
  // One that is longer than everything is admitted alone.
  EXPECT_EQ(connection.exchange(
                notes, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n123456123456"),
            "");
  EXPECT_EQ(notes.bodies.size(), 3U);
}

TEST(ConnectionTest, ATokenThatAnnouncesBodiesLeavesRoomForOthers) {
  test::MemoryConnection connection;
  connection.limits.body_bytes = 6400;  // 64 bodies
  Notes notes;
  notes.keeps = true;
  const auto post = [&](char token) {
    return connection.exchange(
        notes, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nAuthorization: Bearer " +
                   std::string(64, token) + "\r\n\r\n" + std::string(100, 'b'));
  };
  EXPECT_EQ(post('a'), "");
  EXPECT_EQ(post('a'), "");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(count(post('a'), "overloaded"), 1U);
  EXPECT_EQ(post('c'), "");
  EXPECT_EQ(connection.body_bytes(), 300);
  notes.kept.clear();
  EXPECT_EQ(post('a'), "");
  EXPECT_EQ(connection.body_bytes(), 100);
}

TEST(ConnectionTest, AProxyIsBelievedInWhatItHasAddedItself) {
  const auto address_of = [](const std::string& peer, const std::string& lines) {
    test::MemoryConnection connection;
    connection.limits.trusted_proxies = {"127.0.0.1"};
    connection.address = peer;
    Notes notes;
    (void)connection.exchange(notes, "GET / HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n");
    return notes.heads.at(0).address;
  };
  const std::string forged = "X-Forwarded-For: 203.0.113.9\r\n";
  EXPECT_EQ(address_of("192.0.2.1", forged), "192.0.2.1");
  EXPECT_EQ(address_of("127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(address_of("127.0.0.1", forged + "X-Forwarded-For: 198.51.100.1\r\n"), "198.51.100.1");
  EXPECT_EQ(address_of("127.0.0.1", "X-Forwarded-For: 203.0.113.9, 198.51.100.1 \r\n"),
            "198.51.100.1");
  EXPECT_EQ(address_of("127.0.0.1", "X-Forwarded-For: 203.0.113.9, ::ffff:198.51.100.1\r\n"),
            "198.51.100.1");
  EXPECT_EQ(address_of("127.0.0.1", "X-Forwarded-For: 2001:db8::1:2:3:4\r\n"), "2001:db8::/64");
  EXPECT_EQ(address_of("127.0.0.1", "X-Forwarded-For: " + std::string(300, 'x') + "\r\n"),
            "127.0.0.1");
}

TEST(ConnectionTest, AHeadIsAnsweredWithoutItsBody) {
  test::MemoryConnection connection;
  Notes notes;
  const auto text = connection.exchange(
      notes, "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(count(text, "HTTP/1.1 200"), 2U);
  EXPECT_EQ(count(text, "Content-Length: 6"), 2U);
  EXPECT_EQ(count(text, "shared"), 1U);
  EXPECT_EQ(notes.heads.at(0).method, "GET");
}

TEST(ConnectionTest, WhoWaitsBeforeTheBodyIsToldToGoOn) {
  const std::string head =
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n";
  {
    test::MemoryConnection connection;
    Notes notes;
    EXPECT_EQ(connection.exchange(notes, head), "HTTP/1.1 100 Continue\r\n\r\n");
  }
  {
    test::MemoryConnection connection;
    Notes notes;
    const auto text = connection.exchange(notes, head + "hello");  // it did not wait
    EXPECT_EQ(count(text, "HTTP/1.1 200"), 1U);
    EXPECT_EQ(count(text, "100 Continue"), 0U);
  }
  test::MemoryConnection connection;
  Notes notes;
  auto refused = head;
  refused.replace(refused.find("/a"), 2, "/refused");
  const auto text = connection.exchange(notes, refused);
  EXPECT_EQ(count(text, "HTTP/1.1 403"), 1U);
  EXPECT_EQ(count(text, "100 Continue"), 0U);
}

TEST(ConnectionTest, TargetsAndTokensAreReadAsClientsMayWriteThem) {
  const auto head_of = [](const std::string& target, const std::string& lines) {
    test::MemoryConnection connection;
    Notes notes;
    (void)connection.exchange(notes, "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n");
    return notes.heads.at(0);
  };
  EXPECT_EQ(head_of("http://example.org/v1/task", "").path, "/v1/task");
  EXPECT_EQ(head_of("HTTPS://example.org:8443/v1/task", "").path, "/v1/task");
  EXPECT_EQ(head_of("http://example.org", "").path, "/");
  EXPECT_EQ(head_of("ftp://example.org/a", "").path, "ftp://example.org/a");
  EXPECT_EQ(head_of("/http://a", "").path, "/http://a");
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER   "}) {
    EXPECT_EQ(head_of("/a", "Authorization: " + std::string(scheme) + "abc\r\n").token, "abc");
  }
  EXPECT_EQ(head_of("/a", "Authorization: Basic abc\r\n").token, "");
  EXPECT_EQ(head_of("/a", "Authorization: Bearer\r\n").token, "");
}

TEST(ConnectionTest, ARequestNamesItsHostAndItsTokenOnce) {
  const auto answer_to = [](const std::string& version, const std::string& lines) {
    test::MemoryConnection connection;
    Notes notes;
    const auto text =
        connection.exchange(notes, "GET /a HTTP/" + version + "\r\n" + lines + "\r\n");
    EXPECT_EQ(notes.bodies.empty(), text.starts_with("HTTP/1.1 400"));
    return text.substr(0, 12);
  };
  EXPECT_EQ(answer_to("1.1", ""), "HTTP/1.1 400");
  EXPECT_EQ(answer_to("1.1", "Host: x\r\nHost: y\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer_to("1.1", "Host: x\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(answer_to("1.0", ""), "HTTP/1.1 200");
  const std::string token = "Authorization: Bearer a\r\n";
  EXPECT_EQ(answer_to("1.1", "Host: x\r\n" + token), "HTTP/1.1 200");
  EXPECT_EQ(answer_to("1.1", "Host: x\r\n" + token + token), "HTTP/1.1 400");
}

TEST(ConnectionTest, APageOfANamedOriginMayAsk) {
  const auto answer_to = [](const std::string& method, const std::string& origin) {
    test::MemoryConnection connection;
    connection.limits.allowed_origins = {"https://example.org"};
    Notes notes;
    return connection.exchange(
        notes, method + " /a HTTP/1.1\r\nHost: x\r\nOrigin: " + origin + "\r\n\r\n");
  };
  const std::string allowed = "Access-Control-Allow-Origin: https://example.org\r\n";
  EXPECT_EQ(count(answer_to("GET", "https://example.org"), allowed), 1U);
  EXPECT_EQ(count(answer_to("GET", "https://example.com"), "Access-Control"), 0U);
  EXPECT_EQ(count(answer_to("GET", "https://example.com"), "Vary: Origin"), 1U);
  const auto asked = answer_to("OPTIONS", "https://example.org");
  EXPECT_EQ(count(asked, allowed), 1U);
  EXPECT_EQ(count(asked, "Access-Control-Allow-Headers: Authorization, Content-Type\r\n"), 1U);
  test::MemoryConnection connection;  // no origin is named: nothing is said to any
  Notes notes;
  EXPECT_EQ(count(connection.exchange(notes, "GET /a HTTP/1.1\r\nHost: x\r\nOrigin: a\r\n\r\n"),
                  "Access-Control"),
            0U);
}

TEST(ConnectionTest, WhatOneConnectionCannotHaveEndsNoOther) {
  Notes notes;
  HttpServer server({});
  server.start(notes);
  const auto answer_to = [&](const std::string& path) {
    const test::RawClient client(server.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.receive(std::chrono::milliseconds(2000));
  };
  EXPECT_EQ(answer_to("/broken"), "");
  EXPECT_EQ(count(answer_to("/"), "shared"), 1U);
  EXPECT_EQ(server.counters().failures, 1);
  server.stop();
}

}  // namespace connection_test
}  // namespace tacet::local
