#pragma once

#include "tacet/local/http/connection.h"
// The connection first: it knows what Asio needs before it.
#include <boost/beast/_experimental/test/stream.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace tacet::test {

/// A server's side of a connection without a network: what a client sends, and what it gets.
class MemoryConnection {
 public:
  local::HttpLimits limits;
  local::HttpCounters counters;
  std::string address = "192.0.2.1";

  /// All that is answered to `text` before the client ends.
  [[nodiscard]] std::string exchange(local::HttpHandler& handler, std::string_view text) {
    boost::beast::test::stream server(context_);
    auto client = boost::beast::test::connect(server);
    const auto connection =
        std::make_shared<local::internal::Connection<boost::beast::test::stream>>(
            std::move(server), local::internal::Peer{address, {}, false, true},
            local::internal::ConnectionContext{handler, limits, counters, draining_, bodies_,
                                               failures_},
            nullptr);
    client.write_some(boost::asio::buffer(text.data(), text.size()));
    connection->run();
    context_.restart();
    context_.poll();
    client.close();
    context_.restart();
    context_.poll();
    return client.str().to_string();
  }
  [[nodiscard]] std::int64_t body_bytes() const { return bodies_.bytes(); }

 private:
  boost::asio::io_context context_;
  std::atomic<bool> draining_{false};
  local::internal::Bodies bodies_;
  local::AddressRates failures_{1e6};
};

}  // namespace tacet::test
