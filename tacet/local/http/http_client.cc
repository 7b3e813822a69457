#include <utility>  // before Asio 1.74
// It knows what Asio needs before it.
#include "tacet/local/http/tls.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/local/http/http_client.h"

namespace tacet::local {
namespace {

namespace client_http = boost::beast::http;
using client_tcp = boost::asio::ip::tcp;
using ClientError = boost::system::error_code;
using ClientPlain = boost::beast::tcp_stream;
using ClientTlsStream = boost::beast::ssl_stream<ClientPlain>;
constexpr std::uint32_t max_header = 1U << 14;
constexpr int max_interim = 4;
constexpr std::size_t max_buffered = std::size_t{1} << 17;
using Answer = client_http::response_parser<client_http::string_body>;

/// One exchange at a time: each step runs to its end or to the end of the exchange's time.
class HttpClient : public Transport {
 public:
  using Clock = std::chrono::steady_clock;

  HttpClient(HttpClientOptions options, std::shared_ptr<boost::asio::ssl::context> tls)
      : options_(std::move(options)), resolver_(context_), tls_(std::move(tls)) {
    if (!options_.server.secure) static_cast<void>(places());  // says at once whether it is here
  }

  [[nodiscard]] bool confidential() const override { return options_.server.secure || loopback_; }

  [[nodiscard]] HttpReply exchange(const HttpRequest& request) override {
    const bool kept = plain_ || secure_;
    end_ = Clock::now() + std::min(request.max_time, options_.patience);
    try {
      return over_connection(request);
    } catch (const base::IoError&) {
      disconnect();
      if (!kept || Clock::now() >= end_) throw;
    }
    // The server had ended the connection that was kept: once more, over a new one, in the time
    // that is left. Whatever is sent twice counts once.
    try {
      return over_connection(request);
    } catch (const base::IoError&) {
      disconnect();
      throw;
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, const ClientError& error) const {
    throw base::IoError("{} {}:{}: {}", what, options_.server.host, options_.server.port,
                        error.message());
  }

  client_tcp::resolver::results_type places() {
    ClientError error;
    auto found = resolver_.resolve(options_.server.host, options_.server.port, error);
    if (error) fail("cannot find", error);
    loopback_ = true;
    for (const auto& place : found) {
      loopback_ = loopback_ && place.endpoint().address().is_loopback();
    }
    return found;
  }

  /// Runs what was begun to its end.
  ClientError finish(const std::optional<ClientError>& result) {
    context_.restart();
    context_.run();
    return result.value_or(boost::asio::error::operation_aborted);
  }

  [[nodiscard]] ClientPlain& lowest() {
    return secure_ ? boost::beast::get_lowest_layer(*secure_) : *plain_;
  }

  void connect() {
    const auto found = places();
    if (tls_) {
      secure_.emplace(context_, *tls_);
      internal::expect_host(secure_->native_handle(), options_.server.host);
    } else {
      plain_.emplace(context_);
    }
    std::optional<ClientError> result;
    lowest().expires_at(end_);
    lowest().async_connect(found, [&](ClientError error, const auto&) { result = error; });
    if (const auto error = finish(result)) fail("cannot reach", error);
    ClientError ignored;
    lowest().socket().set_option(client_tcp::no_delay(true), ignored);
    if (!secure_) return;
    result.reset();
    secure_->async_handshake(boost::asio::ssl::stream_base::client,
                             [&](ClientError error) { result = error; });
    if (const auto error = finish(result)) {
      const auto why = internal::verification_fault(secure_->native_handle());
      if (why.empty()) fail("no secure connection to", error);
      throw UntrustedServer("the certificate of {}:{} is refused: {}", options_.server.host,
                            options_.server.port, why);
    }
  }

  void disconnect() {
    secure_.reset();
    plain_.reset();
    buffer_.clear();
  }

  HttpReply over_connection(const HttpRequest& request) {
    if (!plain_ && !secure_) connect();
    if (!request.token.empty() && !confidential()) {
      throw base::GuaranteeError(
          "a token is sent over HTTPS only, or to this machine: {}:{} is "
          "another one; give its https:// address",
          options_.server.host, options_.server.port);
    }
    return secure_ ? over(*secure_, request) : over(*plain_, request);
  }

  template <typename Stream>
  HttpReply over(Stream& stream, const HttpRequest& request) {
    client_http::request<client_http::string_body> message(
        client_http::string_to_verb(request.method), request.path, 11);
    message.set(client_http::field::host, options_.server.host);
    if (!request.token.empty()) {
      message.set(client_http::field::authorization, "Bearer " + request.token);
    }
    message.body() = request.body;
    if (request.method == "POST") message.content_length(request.body.size());
    std::optional<ClientError> result;
    lowest().expires_at(end_);
    client_http::async_write(stream, message,
                             [&](ClientError error, std::size_t) { result = error; });
    const auto unsent = finish(result);  // a server may answer before it has read everything
    // Skips a few answers that only announce another answer (RFC 9110, 15.2).
    for (int interim = 0; interim <= max_interim; ++interim) {
      Answer answer;
      const auto error = read_answer(stream, request, answer);
      if (error) fail("no answer from", unsent ? unsent : error);
      if (answer.get().result_int() >= 200) return reply_of(answer);
    }
    fail("no answer from", client_http::error::bad_status);
  }

  template <typename Stream>
  ClientError read_answer(Stream& stream, const HttpRequest& request, Answer& answer) {
    answer.body_limit(request.max_bytes);
    answer.header_limit(max_header);
    lowest().expires_at(end_);
    // The head by itself: read together with a body, Beast 1.74 forgets that the length which the
    // head announces is beyond the limit, and takes all of it.
    std::optional<ClientError> result;
    client_http::async_read_header(stream, buffer_, answer,
                                   [&](ClientError error, std::size_t) { result = error; });
    const auto error = finish(result);
    if (error || answer.get().result_int() < 200) return error;
    if (answer.content_length().value_or(0) > request.max_bytes) {
      return client_http::error::body_limit;
    }
    result.reset();
    client_http::async_read(stream, buffer_, answer,
                            [&](ClientError code, std::size_t) { result = code; });
    return finish(result);
  }

  HttpReply reply_of(Answer& answer) {
    const bool keep = answer.get().keep_alive();
    HttpReply reply{static_cast<int>(answer.get().result_int()), std::move(answer.get().body()), 0};
    const std::string retry(answer.get()[client_http::field::retry_after]);
    std::int64_t seconds = 0;
    const auto parsed = std::from_chars(retry.data(), retry.data() + retry.size(), seconds);
    if (parsed.ec == std::errc() && seconds > 0) {
      reply.retry_seconds = std::min<std::int64_t>(seconds, 3600);
    }
    if (!keep) disconnect();
    return reply;
  }

  HttpClientOptions options_;
  Clock::time_point end_;  // of the exchange
  bool loopback_ = false;
  boost::asio::io_context context_{1};
  client_tcp::resolver resolver_;
  std::shared_ptr<boost::asio::ssl::context> tls_;  // null: plain HTTP
  std::optional<ClientPlain> plain_;
  std::optional<ClientTlsStream> secure_;
  boost::beast::flat_buffer buffer_{
      max_buffered};  // a chunk's extensions have no limit of their own
};

}  // namespace

ServerAddress server_address(const std::string& url) {
  const auto refuse = [&] {
    throw base::UsageError("'{}' is no address of a server; give https://HOST or https://HOST:PORT",
                           url);
  };
  ServerAddress address;
  std::string rest;
  if (url.starts_with("https://")) {
    rest = url.substr(8);
  } else if (url.starts_with("http://")) {
    rest = url.substr(7);
    address.secure = false;
  } else {
    refuse();
  }
  if (rest.ends_with('/')) rest.pop_back();
  address.port = address.secure ? "443" : "80";
  const auto colon = rest.rfind(':');
  const auto bracket = rest.rfind(']');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    address.port = rest.substr(colon + 1);
    rest.resize(colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  std::uint16_t number = 0;
  const auto* end = address.port.data() + address.port.size();
  const auto parsed = std::from_chars(address.port.data(), end, number);
  if (rest.empty() || rest.find_first_of("/?#@ ") != std::string::npos ||
      parsed.ec != std::errc() || parsed.ptr != end || number == 0) {
    refuse();
  }
  address.host = rest;
  return address;
}

std::unique_ptr<Transport> http_client(const HttpClientOptions& options) {
  return http_clients(options)();
}

std::function<std::unique_ptr<Transport>()> http_clients(const HttpClientOptions& options) {
  std::shared_ptr<boost::asio::ssl::context> tls;
  if (options.server.secure) {
    tls = std::make_shared<boost::asio::ssl::context>(
        internal::client_tls({options.ca, options.certificate, options.key}));
  }
  return [options, tls] { return std::make_unique<HttpClient>(options, tls); };
}

}  // namespace tacet::local
