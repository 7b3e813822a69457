#include "tacet/local/http/connection.h"
// The connection first: it knows what Asio needs before it.
#include <openssl/x509.h>

#include <charconv>
#include <mutex>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/local/http/address.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/http/places.h"
#include "tacet/local/http/tls.h"
#include "tacet/local/http/tls_stream.h"

namespace tacet::local {
namespace {

using asio_tcp = boost::asio::ip::tcp;
using internal::Peer;
using Executor = boost::asio::strand<boost::asio::io_context::executor_type>;
using Socket = asio_tcp::socket::rebind_executor<Executor>::other;
using PlainStream = boost::beast::basic_stream<asio_tcp, Executor>;
using TlsStream = internal::TlsStream<Socket>;
using PlainConnection = internal::Connection<PlainStream>;
using TlsConnection = internal::Connection<TlsStream>;

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(ListenOptions options)
      : options_(std::move(options)),
        places_(options_.limits, counters_),
        context_(options_.threads),
        acceptor_(accepting_),
        rates_(options_.limits.connections_per_second),
        failures_(options_.limits.failed_per_second) {
    if (!options_.certificate.empty()) read_certificates();
    listen();
  }

  void start(HttpHandler& handler) {
    handler_ = &handler;
    accept();
    threads_.emplace_back([this] { work(accepting_); });
    for (int i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { work(context_); });
    }
  }

  void stop() {
    draining_ = true;
    accepting_.stop();
    context_.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  void drain(std::chrono::milliseconds max_time) {
    draining_ = true;
    boost::asio::post(acceptor_.get_executor(), [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
    });
    places_.end_waiting();
    const auto end = std::chrono::steady_clock::now() + max_time;
    while (counters_.open > 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void read_certificates() {
    auto fresh = internal::server_tls(options_.certificate, options_.key, options_.client_ca);
    const std::scoped_lock lock(mutex_);
    tls_ = std::move(fresh);
  }

  [[nodiscard]] const HttpCounters& counters() const { return counters_; }
  [[nodiscard]] const asio_tcp::endpoint& place() const { return place_; }

 private:
  /// What one connection could not have, memory say, ends that connection and no other.
  void work(boost::asio::io_context& context) {
    for (;;) {
      try {
        context.run();
        return;
      } catch (const std::exception&) {
        ++counters_.failures;
      }
    }
  }

  void listen() {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(options_.host, error);
    if (error) {
      throw base::UsageError("'{}' is no address of a machine; give one such as 127.0.0.1",
                             options_.host);
    }
    const asio_tcp::endpoint wanted(address, options_.port);
    acceptor_.open(wanted.protocol(), error);
    if (!error) acceptor_.set_option(boost::asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(wanted, error);
    if (!error) acceptor_.listen(4096, error);
    if (!error) place_ = acceptor_.local_endpoint(error);
    if (error) {
      throw base::IoError("cannot listen on {}:{}: {}", options_.host, options_.port,
                          error.message());
    }
  }

  void accept() {
    acceptor_.async_accept(boost::asio::make_strand(context_),
                           [this](boost::system::error_code error, Socket socket) {
                             if (draining_) return;
                             if (error) return accept_later();
                             try {
                               greet(std::move(socket));
                             } catch (const std::exception&) {
                               ++counters_.failures;
                             }
                             accept();
                           });
  }

  /// The process has no descriptor left, say: connections that end give some back.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(20));
    pause_.async_wait([this](boost::system::error_code) {
      if (!draining_) accept();
    });
  }

  void greet(Socket socket) {
    boost::system::error_code error;
    const auto remote = socket.remote_endpoint(error);
    if (error) {
      ++counters_.truncated;  // gone already
      return;
    }
    const auto tls = current_tls();
    const auto text = remote.address().to_string();
    Peer peer{plain_address(text).value_or(text), {}, tls != nullptr, false};
    peer.loopback = remote.address().is_loopback() && place_.address().is_loopback();
    auto place = enter(peer.address);
    if (!place) {
      ++counters_.refused;
      return;
    }
    socket.set_option(asio_tcp::no_delay(true), error);
    const internal::ConnectionContext shared{*handler_, options_.limits, counters_,
                                             draining_, bodies_,         failures_};
    if (tls == nullptr) {
      const auto connection = std::make_shared<PlainConnection>(
          PlainStream(std::move(socket)), std::move(peer), shared, std::move(place));
      remember(connection);
      boost::asio::post(connection->stream().get_executor(), [connection] { connection->run(); });
      return;
    }
    shake_hands(std::make_shared<TlsConnection>(TlsStream(std::move(socket), tls->native_handle()),
                                                std::move(peer), shared, std::move(place), tls));
  }

  void shake_hands(const std::shared_ptr<TlsConnection>& connection) {
    remember(connection);
    boost::asio::post(connection->stream().get_executor(),
                      [this, connection] { begin_handshake(connection); });
  }

  void begin_handshake(const std::shared_ptr<TlsConnection>& connection) {
    auto& stream = connection->stream();
    stream.expires_after(options_.limits.handshake);
    stream.async_handshake([this, connection](boost::system::error_code failed) {
      if (failed) {
        ++counters_.failed_handshakes;
        connection->came_to_nothing();
        return;
      }
      connection->peer().identity = internal::key_digest(connection->stream().native_handle());
      connection->run();
    });
  }

  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current_tls() {
    const std::scoped_lock lock(mutex_);
    return tls_;
  }

  /// One of the open connections, as long as it is kept; null: there are enough.
  [[nodiscard]] std::shared_ptr<internal::ConnectionPlaces::Place> enter(const std::string& peer) {
    const auto& proxies = options_.limits.trusted_proxies;
    const bool many = std::ranges::find(proxies, peer) != proxies.end();
    const auto address = limited_address(peer);
    if (!many) {
      const auto now = AddressRates::Clock::now();
      if (!failures_.would_allow(address, now) || !rates_.allow(address, now)) return nullptr;
    }
    return places_.enter(address, many);
  }

  /// So that it can be told to end.
  template <typename Kept>
  void remember(const std::shared_ptr<Kept>& connection) {
    connection->place().on_end([this, weak = std::weak_ptr<Kept>(connection)] {
      const auto kept = weak.lock();
      if (!kept) return;
      boost::asio::post(kept->stream().get_executor(), [this, kept] {
        if (draining_) {
          kept->drain();
        } else {
          kept->give_place_up();
        }
      });
    });
  }

  ListenOptions options_;
  HttpHandler* handler_ = nullptr;
  HttpCounters counters_;
  std::atomic<bool> draining_{false};
  internal::Bodies bodies_;
  std::mutex mutex_;
  internal::ConnectionPlaces places_;  // outlives the connections, which are the context's
  std::shared_ptr<boost::asio::ssl::context> tls_;
  boost::asio::io_context context_;
  // Keeps the context running while all connections wait for the writer and none has work.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more_{
      context_.get_executor()};
  // Accepts connections on a separate thread, so that a busy server never lets the queue of the
  // system overflow, and connections beyond a limit are refused at little cost.
  boost::asio::io_context accepting_{1};
  asio_tcp::acceptor acceptor_;
  AddressRates rates_;
  AddressRates failures_;
  boost::asio::steady_timer pause_{accepting_};
  asio_tcp::endpoint place_;
  std::vector<std::thread> threads_;
};

ListenOptions listen_at(const std::string& option, const std::string& text) {
  const auto colon = text.rfind(':');
  ListenOptions at;
  const auto refuse = [&] {
    throw base::UsageError("{} must be HOST:PORT, 127.0.0.1:8443 say, got '{}'", option, text);
  };
  if (colon == std::string::npos) refuse();
  at.host = text.substr(0, colon);
  if (at.host.size() > 2 && at.host.front() == '[' && at.host.back() == ']') {
    at.host = at.host.substr(1, at.host.size() - 2);
  }
  if (at.host == "localhost") at.host = "127.0.0.1";
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, at.port);
  if (at.host.empty() || parsed.ec != std::errc() || parsed.ptr != end) refuse();
  return at;
}

HttpServer::HttpServer(ListenOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpServer::~HttpServer() { impl_->stop(); }
void HttpServer::stop() { impl_->stop(); }
void HttpServer::start(HttpHandler& handler) { impl_->start(handler); }
std::uint16_t HttpServer::port() const { return impl_->place().port(); }
bool HttpServer::loopback() const { return impl_->place().address().is_loopback(); }
const HttpCounters& HttpServer::counters() const { return impl_->counters(); }
void HttpServer::read_certificates() { impl_->read_certificates(); }
void HttpServer::drain(std::chrono::milliseconds max_time) { impl_->drain(max_time); }

}  // namespace tacet::local
