#pragma once

#include <utility>  // before Asio 1.74, which lacks it under C++20

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/local/http/address.h"
#include "tacet/local/http/body_room.h"
#include "tacet/local/http/connection_context.h"
#include "tacet/local/http/http.h"
#include "tacet/local/http/places.h"
#include "tacet/local/http/request_head.h"

namespace tacet::local::internal {

namespace asio = boost::asio;
namespace beast = boost::beast;

/// A connection to a client, from its first request to its end: one request after the other, each
/// with its time. Template over the stream, so that a test can bring one in memory. Runs on the
/// stream's executor alone.
template <typename Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  using Place = ConnectionPlaces::Place;

  /// `place` may be null; `kept` is kept as long as the object.
  Connection(Stream stream, Peer peer, ConnectionContext server, std::shared_ptr<Place> place,
             std::shared_ptr<void> kept = nullptr)
      : place_(std::move(place)),
        kept_(std::move(kept)),
        stream_(std::move(stream)),
        peer_(std::move(peer)),
        server_(server) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  /// The first request begins.
  void run() { begin(); }
  /// Ends the connection where no request is under way.
  void drain() {
    if (idle_) close();
  }
  /// Ends the connection unless a request is being answered: its place is somebody else's. It says
  /// nothing about its address.
  void give_place_up() {
    if (answering_) return;
    served_ = true;
    close();
  }
  /// The connection ended with nothing that was asked for: its address has so many of these.
  void came_to_nothing() {
    if (served_ || from_proxy()) return;
    server_.failures.charge(limited_address(peer_.address), AddressRates::Clock::now());
  }
  [[nodiscard]] Stream& stream() { return stream_; }
  [[nodiscard]] Peer& peer() { return peer_; }
  [[nodiscard]] Place& place() { return *place_; }

 private:
  using Parser = beast::http::request_parser<beast::http::string_body>;
  using Body = beast::http::span_body<const char>;
  using Error = beast::error_code;

  template <typename Duration>
  void expire_after(Duration time) {
    if constexpr (requires { beast::get_lowest_layer(stream_).expires_after(time); }) {
      beast::get_lowest_layer(stream_).expires_after(time);
    }
  }
  void expire_never() {
    if constexpr (requires { beast::get_lowest_layer(stream_).expires_never(); }) {
      beast::get_lowest_layer(stream_).expires_never();
    }
  }

  template <typename Method>
  auto then(Method method) {
    return [self = this->shared_from_this(), method](Error error, std::size_t bytes) {
      ((*self).*method)(error, bytes);
    };
  }

  void wait_for_request() {
    idle_ = true;
    if (server_.draining) return close();
    if (buffer_.size() > 0) return begin();  // sent before it was asked for
    expire_after(server_.limits.idle);
    stream_.async_read_some(buffer_.prepare(read_bytes), then(&Connection::on_first_bytes));
  }

  void on_first_bytes(Error error, std::size_t bytes) {
    if (error) return close();
    take_in(bytes);
    begin();
  }

  void take_in(std::size_t bytes) {
    buffer_.commit(bytes);
    server_.counters.bytes_in += static_cast<std::int64_t>(bytes);
  }

  void begin() {
    idle_ = false;
    timed_ = false;
    continues_ = false;
    parser_.emplace();
    parser_->header_limit(server_.limits.header_bytes);
    // A length that was announced is the handler's to judge; nothing is read before. (No limit at
    // all is below every length in Beast 1.74.)
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    read_head();
  }

  /// Has the parser read what is there. False when it wants more.
  template <typename Done>
  bool parse(const Done& done, Error& error) {
    while (!done() && buffer_.size() > 0) {
      const auto taken = parser_->put(buffer_.data(), error);
      buffer_.consume(taken);
      if (error == beast::http::error::need_more) {
        error = {};
        return false;
      }
      if (error) return true;
    }
    return done();
  }

  /// Reads on, within one time for the whole of head or body, however many reads it takes.
  void read_more(std::chrono::milliseconds time, void (Connection::*next)(Error, std::size_t)) {
    if (!timed_) expire_after(time);
    timed_ = true;
    stream_.async_read_some(buffer_.prepare(read_bytes), then(next));
  }

  void on_head_bytes(Error error, std::size_t bytes) {
    take_in(bytes);
    if (error) return on_no_request(error);
    read_head();
  }

  void read_head() {
    Error error;
    if (!parse([this] { return parser_->is_header_done(); }, error)) {
      return read_more(server_.limits.header, &Connection::on_head_bytes);
    }
    if (error) return on_no_request(error);
    on_head();
  }

  void on_head() {
    ++server_.counters.requests;
    keep_alive_ = parser_->get().keep_alive();
    describe();
    const auto length = head_.length.value_or(0);
    auto refused = is_ambiguous(parser_->get()) ? std::optional(server_.handler.not_understood())
                                                : server_.handler.admit(head_);
    if (head_.known && place_) place_->vouch(voucher());
    if (!refused && length > 0 &&
        !room_.take(server_.bodies, head_.known ? voucher() : std::string(),
                    server_.limits.body_bytes, static_cast<std::int64_t>(length))) {
      refused = server_.handler.overloaded();
    }
    if (refused) {
      if (length > 0 || head_.other_length) refused->close = true;
      return write(std::move(*refused));
    }
    parser_->body_limit(length);
    timed_ = false;
    if (continues_ && length > 0 && buffer_.size() == 0) return ask_for_body();
    read_body();
  }

  [[nodiscard]] std::string voucher() const {
    return {reinterpret_cast<const char*>(head_.note.data()), head_.note.size()};
  }

  /// The client waits for a word before it sends the body.
  void ask_for_body() {
    static constexpr std::string_view word = "HTTP/1.1 100 Continue\r\n\r\n";
    expire_after(server_.limits.body);
    asio::async_write(stream_, asio::buffer(word.data(), word.size()), then(&Connection::on_asked));
  }

  void on_asked(Error error, std::size_t bytes) {
    server_.counters.bytes_out += static_cast<std::int64_t>(bytes);
    if (error) return close();
    read_body();
  }

  void on_body_bytes(Error error, std::size_t bytes) {
    take_in(bytes);
    if (error) {
      ++(error == beast::error::timeout ? server_.counters.timeouts : server_.counters.truncated);
      came_to_nothing();
      return close();
    }
    read_body();
  }

  void read_body() {
    Error error;
    if (!parse([this] { return parser_->is_done(); }, error)) {
      return read_more(server_.limits.body, &Connection::on_body_bytes);
    }
    if (error) return close();
    served_ = true;
    begin_answer();
    expire_never();  // the answer takes what it takes
    auto self = this->shared_from_this();
    server_.handler.answer(head_, std::move(parser_->get().body()), [self](HttpAnswer answer) {
      asio::dispatch(self->stream_.get_executor(), [self, answer = std::move(answer)]() mutable {
        self->write(std::move(answer));
      });
    });
  }

  void begin_answer() {
    answering_ = true;
    if (place_) place_->work();
  }
  void end_answer() {
    answering_ = false;
    if (place_) place_->wait();
  }

  /// The error for bytes that are not a request; other errors are of the network.
  static const boost::system::error_category& http_errors() {
    return make_error_code(beast::http::error::bad_version).category();
  }

  void on_no_request(Error error) {
    namespace http = beast::http;
    came_to_nothing();
    if (error == beast::error::timeout) {
      ++server_.counters.timeouts;
    } else if (error.category() != http_errors() && parser_->got_some()) {
      ++server_.counters.truncated;  // of what has begun
    }
    if (error.category() != http_errors() || error == http::error::end_of_stream ||
        error == http::error::partial_message) {
      return close();
    }
    ++server_.counters.not_understood;
    auto answer = server_.handler.not_understood();
    answer.close = true;
    write(std::move(answer));
  }

  void describe() {
    namespace http = beast::http;
    const auto& request = parser_->get();
    head_ = {};
    head_only_ = request.method() == http::verb::head;
    head_.method = head_only_ ? "GET" : std::string(request.method_string());
    head_.path = path_of(request.target());
    head_.address = limited_address(peer_.address);
    head_.identity = peer_.identity;
    head_.secure = peer_.secure;
    head_.loopback = peer_.loopback;
    head_.token = bearer_of(request[http::field::authorization]);
    origin_ = std::string(request[http::field::origin]);
    const auto& origins = server_.limits.allowed_origins;
    if (std::ranges::find(origins, origin_) == origins.end()) origin_.clear();
    speaks_1_0_ = request.version() < 11;
    continues_ = !speaks_1_0_ && beast::iequals(request[http::field::expect], "100-continue");
    head_.other_length = request.count(http::field::transfer_encoding) > 0 ||
                         request.count(http::field::content_length) > 1;
    if (request.count(http::field::content_length) == 1 && parser_->content_length()) {
      head_.length = *parser_->content_length();
    }
    if (!from_proxy()) return;
    if (const auto address = forwarded_for(parser_->get()))
      head_.address = limited_address(*address);
  }

  [[nodiscard]] bool from_proxy() const {
    const auto& proxies = server_.limits.trusted_proxies;
    return std::ranges::find(proxies, peer_.address) != proxies.end();
  }

  void write(HttpAnswer answer) {
    namespace http = beast::http;
    answer_ = std::move(answer);
    response_.emplace();
    auto& response = *response_;
    response.version(11);
    response.result(static_cast<unsigned>(answer_.status));
    response.set(http::field::content_type, answer_.type);
    response.set(http::field::cache_control,
                 answer_.cacheable ? "public, max-age=31536000, immutable" : "no-store");
    if (answer_.retry_seconds > 0) {
      response.set(http::field::retry_after, std::to_string(answer_.retry_seconds));
    }
    if (answer_.status == 401) response.set(http::field::www_authenticate, "Bearer");
    if (!answer_.allow.empty()) response.set(http::field::allow, answer_.allow);
    if (!server_.limits.allowed_origins.empty()) response.set(http::field::vary, "Origin");
    if (!origin_.empty()) allow_origin(response, origin_, head_.method == "OPTIONS");
    keep_alive_ = keep_alive_ && !answer_.close && !server_.draining;
    response.keep_alive(keep_alive_);
    if (keep_alive_ && speaks_1_0_) response.set(http::field::connection, "keep-alive");
    // Sent from where it lies: many may take one model at once.
    const auto& body = answer_.shared ? *answer_.shared : answer_.body;
    response.body() = Body::value_type(body.data(), body.size());
    response.prepare_payload();
    if (response.result() == http::status::no_content) {
      response.erase(http::field::content_length);
      response.erase(http::field::content_type);
    }
    expire_after(server_.limits.body);
    if (!head_only_) return http::async_write(stream_, response, then(&Connection::on_written));
    serializer_.emplace(response);  // the length of a body that does not follow
    http::async_write_header(stream_, *serializer_, then(&Connection::on_written));
  }

  void on_written(Error error, std::size_t bytes) {
    server_.counters.bytes_out += static_cast<std::int64_t>(bytes);
    serializer_.reset();
    response_.reset();
    answer_ = {};
    end_answer();
    room_.give_back();
    if (error) return close();
    if (keep_alive_) return wait_for_request();
    linger();
  }

  /// Says that nothing more comes, and gives what is still on its way a moment to arrive: a socket
  /// that is closed over unread bytes takes back an answer that was not read yet.
  void linger() {
    if constexpr (requires { beast::get_lowest_layer(stream_).socket(); }) {
      Error ignored;
      beast::get_lowest_layer(stream_).socket().shutdown(asio::ip::tcp::socket::shutdown_send,
                                                         ignored);
      expire_after(std::chrono::seconds(1));
      read_waste();
    }
  }

  void read_waste() {
    buffer_.clear();
    beast::get_lowest_layer(stream_).async_read_some(buffer_.prepare(2 * read_bytes),
                                                     then(&Connection::on_waste));
  }

  void on_waste(Error error, std::size_t bytes) {
    wasted_ += bytes;
    if (error || wasted_ > max_waste) return close();
    read_waste();
  }

  void close() {
    if constexpr (requires { beast::get_lowest_layer(stream_).socket(); }) {
      Error ignored;
      beast::get_lowest_layer(stream_).socket().close(ignored);
    } else {
      stream_.close();
    }
  }

  static constexpr std::size_t max_waste = std::size_t{1} << 18;
  static constexpr std::size_t read_bytes = 2048;

  std::shared_ptr<Place> place_;
  std::shared_ptr<void> kept_;
  Stream stream_;
  Peer peer_;
  ConnectionContext server_;
  BodyRoom room_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  HttpAnswer answer_;  // what the response points into
  std::optional<beast::http::response<Body>> response_;
  std::optional<beast::http::response_serializer<Body>> serializer_;
  RequestHead head_;
  bool keep_alive_ = false;
  std::string origin_;       // of a page that may ask
  bool head_only_ = false;   // the method was HEAD
  bool continues_ = false;   // the client waits before it sends the body
  bool speaks_1_0_ = false;  // no answer comes before the answer; to keep a connection is said
  bool answering_ = false;
  bool idle_ = false;
  bool timed_ = false;
  bool served_ = false;  // a request was whole
  std::size_t wasted_ = 0;
};

}  // namespace tacet::local::internal
