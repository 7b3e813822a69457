#include "bench/local/local_attacks.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <thread>

#include "tests/support/raw_client.h"

namespace tacet::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// 250 addresses of this machine, which an attacker has at least.
std::uint32_t source(std::int64_t number) {
  return 0x7f000200U + 1U + static_cast<std::uint32_t>(number % 250);
}

std::string head(const std::string& token, const std::string& more) {
  return "POST /v1/report HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n" + more +
         "\r\n";
}
std::string length_of(std::uint64_t bytes) {
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

// ---- connections that are held

void hold(Battle& battle, std::int64_t count, const std::function<std::string()>& text) {
  std::vector<std::unique_ptr<test::RawClient>> held;
  for (std::int64_t i = 0; i < count && !battle.over; ++i) {
    held.push_back(std::make_unique<test::RawClient>(battle.site.port(), source(i)));
    held.back()->send(text());
    ++battle.attempts;
  }
  while (!battle.over) std::this_thread::sleep_for(milliseconds(20));
}

void half_bodies(Battle& battle) {
  const auto text = head(battle.loot.token, length_of(battle.site.task.layout.bytes())) + "half";
  hold(battle, 5000, [&] { return text; });
}

void one_byte_per_second(Battle& battle) {
  std::vector<std::unique_ptr<test::RawClient>> held;
  const auto text = head(battle.loot.token, length_of(battle.site.task.layout.bytes()));
  for (std::int64_t i = 0; i < 1000; ++i) {
    held.push_back(std::make_unique<test::RawClient>(battle.site.port(), source(i)));
    if (i % 2 == 1) held.back()->send(text);  // the others begin with the header
  }
  for (std::size_t byte = 0; !battle.over; ++byte) {
    for (const auto& one : held) one->send(text.substr(byte % text.size(), 1));
    ++battle.attempts;
    for (int i = 0; i < 50 && !battle.over; ++i) std::this_thread::sleep_for(milliseconds(20));
  }
}

// ---- requests, one connection each

void again_and_again(Battle& battle, const std::string& text, milliseconds patience) {
  for (std::int64_t i = 0; !battle.over; ++i) {
    const test::RawClient client(battle.site.port(), source(i));
    client.send(text);
    if (patience.count() > 0) static_cast<void>(client.receive(patience));
    ++battle.attempts;
  }
}

void a_gibibyte(Battle& battle) {
  const std::string block(std::size_t{1} << 16, 'x');
  for (std::int64_t i = 0; !battle.over; ++i) {
    const test::RawClient client(battle.site.port(), source(i));
    client.send(head(battle.loot.token, length_of(std::uint64_t{1} << 30)));
    for (int sent = 0; sent < (1 << 14) && !battle.over && client.send(block); ++sent) {
    }
    ++battle.attempts;
  }
}

void chunked(Battle& battle) {
  again_and_again(
      battle, head(battle.loot.token, "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n",
      milliseconds(200));
}
void smuggled(Battle& battle) {
  again_and_again(battle,
                  head(battle.loot.token, "Content-Length: 3\r\nContent-Length: 4\r\n") + "abcd",
                  milliseconds(200));
}
void pipelined(Battle& battle) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n";
  again_and_again(battle, text + "GET /v1/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                  milliseconds(1000));
}
void truncated(Battle& battle) {
  const auto text = head(battle.loot.token, length_of(battle.site.task.layout.bytes()));
  again_and_again(battle, text.substr(0, text.size() / 2), milliseconds(0));
}
void garbage(Battle& battle) {
  again_and_again(battle, std::string(3000, '\xff') + "\r\n\r\n", milliseconds(200));
}

/// What a client says first, so that the server computes its part of a handshake.
std::string client_hello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> one(SSL_new(context.get()), SSL_free);
  SSL_set_bio(one.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  static_cast<void>(SSL_connect(one.get()));
  std::string text(4096, '\0');
  const int size = BIO_read(SSL_get_wbio(one.get()), text.data(), static_cast<int>(text.size()));
  text.resize(static_cast<std::size_t>(std::max(size, 0)));
  return text;
}

/// 10,000 a second of one address, if the machine can.
void handshakes_cut_off(Battle& battle) {
  const auto hello = client_hello();
  const auto begin = Clock::now();
  while (!battle.over) {
    const test::RawClient client(battle.site.port(), source(0));
    client.send(hello);
    ++battle.attempts;
    std::this_thread::sleep_until(begin + battle.attempts.load() * std::chrono::microseconds(100));
  }
}

// ---- reports

/// A client with an address of its own that keeps its connection.
class Intruder {
 public:
  explicit Intruder(const Battle& battle)
      : port_(battle.site.port()), address_(source(battle.attempts++)) {}
  /// The status that it gets; -1: none.
  int ask(const std::string& path, const std::string& token, const std::string& body) {
    if (!connection_) connection_ = std::make_unique<test::RawClient>(port_, address_);
    connection_->send("POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                      "\r\n" + length_of(body.size()) + "\r\n" + body);
    const auto text = connection_->receive_answer();
    if (text.empty() || text.find("Connection: close") != text.npos) connection_.reset();
    return text.size() < 12 ? -1 : std::atoi(text.c_str() + 9);
  }

 private:
  std::uint16_t port_;
  std::uint32_t address_;
  std::unique_ptr<test::RawClient> connection_;
};

void expect_refusal(int status) {
  if (status == 200) std::abort();
}

/// A report with a byte that is another one, and a checksum that fits.
std::string forged(const Site& site, const std::string& report, std::size_t at, int by = 1) {
  auto text = report;
  text[at] = static_cast<char>(text[at] + by);
  return test::with_checksum(text.substr(0, site.task.layout.bytes() - 4));
}

void wrong_reports(Battle& battle) {
  const auto& site = battle.site;
  const auto& [token, right, other] = battle.loot;
  Intruder intruder(battle);
  std::vector<std::string> wrong;
  // magic, version, mechanism, type, task, round, model, dimension, length, epsilon, flags
  for (const auto at : std::initializer_list<std::size_t>{0, 4, 6, 7, 8, 16, 24, 48, 52, 56, 60}) {
    wrong.push_back(forged(site, right, at));
  }
  auto zeros = right;
  std::fill(zeros.begin() + 64, zeros.end() - 4, '\0');
  wrong.push_back(test::with_checksum(zeros.substr(0, zeros.size() - 4)));
  wrong.push_back(right + "x");
  wrong.push_back(right.substr(1));
  while (!battle.over) {
    for (const auto& one : wrong) {
      expect_refusal(intruder.ask("/v1/report", token, one));
      ++battle.attempts;
    }
  }
}

void each_bit_flipped(Battle& battle) {
  const auto& [token, right, other] = battle.loot;
  Intruder intruder(battle);
  for (std::size_t bit = 0; !battle.over; bit = (bit + 1) % (8 * right.size())) {
    auto flipped = right;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    expect_refusal(intruder.ask("/v1/report", token, flipped));
    ++battle.attempts;
  }
}

void replays(Battle& battle) {
  const auto& [token, right, other] = battle.loot;
  Intruder intruder(battle);
  const auto another = forged(battle.site, right, 64);
  while (!battle.over) {
    if (intruder.ask("/v1/report", token, right) != 200) std::abort();
    expect_refusal(intruder.ask("/v1/report", token, another));
    expect_refusal(intruder.ask("/v1/report", other, right));
    battle.attempts += 3;
  }
}

void one_token_at_once(Battle& battle) {
  auto& site = battle.site;
  while (!battle.over) {
    const auto& token = site.token();
    const auto first = slot_and_report(site, *site.connect(), token);
    std::atomic<int> counted{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 64; ++i) {
      threads.emplace_back([&, i] {
        const auto report = forged(site, first, 40, i);
        if (Intruder(battle).ask("/v1/report", token, report) == 200) ++counted;
      });
    }
    for (auto& thread : threads) thread.join();
    if (counted != 1) std::abort();
  }
}

void random_tokens(Battle& battle) {
  Intruder intruder(battle);
  while (!battle.over) {
    expect_refusal(intruder.ask("/v1/slot", local::new_token(), ""));
    ++battle.attempts;
  }
}

std::string refused(const std::string& reason) {
  return fmt::format("answers_total{{reason=\"{}\"}}", reason);
}

}  // namespace

std::vector<Attack> attacks() {
  std::vector<std::string> faults;
  for (const char* reason : {"wrong_magic", "wrong_version", "wrong_mechanism", "wrong_type",
                             "wrong_task", "wrong_round", "wrong_model", "wrong_dimension",
                             "wrong_length", "wrong_epsilon", "wrong_flags", "zero_report"}) {
    faults.push_back(refused(reason));
  }
  return {{"half_bodies", half_bodies, 1, 13, {"timeouts_total"}},
          {"one_byte_per_second", one_byte_per_second, 1, 12, {"timeouts_total"}},
          {"a_gibibyte", a_gibibyte, 8, 4, {refused("wrong_length")}},
          {"chunked", chunked, 8, 4, {refused("missing_length")}},
          {"pipelined", pipelined, 8, 4, {refused("unknown_path")}},
          {"smuggled", smuggled, 8, 4, {refused("bad_request")}},
          {"truncated", truncated, 8, 4, {"truncated_total"}},
          {"garbage", garbage, 8, 4, {"malformed_total"}},
          {"handshakes_cut_off", handshakes_cut_off, 4, 6, {"handshakes_failed_total"}, true},
          {"wrong_reports", wrong_reports, 8, 4, faults},
          {"each_bit_flipped", each_bit_flipped, 8, 4, {refused("wrong_checksum")}},
          {"replays",
           replays,
           8,
           4,
           {refused("used_token"), refused("repeated_report")},
           false,
           true,
           true},
          {"one_token_at_once", one_token_at_once, 1, 4, {refused("used_token")}, false, false},
          {"random_tokens", random_tokens, 8, 4, {refused("unknown_token")}}};
}

}  // namespace tacet::bench
