// Whatever a client sends: requests are read through the server's connection, without a network.
#include "tests/support/memory_connection.h"
// The connection first: it knows what Asio needs before it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace http_fuzz {

namespace {

using namespace tacet;

constexpr std::uint64_t max_bytes = 1000;

/// Takes bodies of some lengths and holds the connection to what it promises.
struct Handler : local::HttpHandler {
  std::optional<local::HttpAnswer> admit(local::RequestHead& head) override {
    if (head.method.empty() || head.address.empty()) std::abort();
    const bool longer = head.length.value_or(0) > max_bytes;
    if (head.other_length || longer) return local::HttpAnswer{.status = 413};
    return std::nullopt;
  }
  void answer(const local::RequestHead& head, std::string body,
              std::function<void(local::HttpAnswer)> done) override {
    if (body.size() != head.length.value_or(0)) std::abort();
    done({.body = "ok"});
  }
  local::HttpAnswer not_understood() override { return {.status = 400}; }
  local::HttpAnswer overloaded() override { return {.status = 503}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::MemoryConnection connection;
  connection.limits.trusted_proxies = {connection.address};
  Handler handler;
  const auto text = connection.exchange(handler, {reinterpret_cast<const char*>(data), size});
  if (!text.empty() && !text.starts_with("HTTP/1.1 ")) std::abort();
  if (connection.body_bytes() != 0) std::abort();
  return 0;
}

}  // namespace http_fuzz
