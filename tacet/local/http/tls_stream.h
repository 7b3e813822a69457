#pragma once

#include <utility>  // before Asio 1.74, which lacks it under C++20

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tacet/base/error.h"
#include "tacet/local/http/tls.h"

namespace tacet::local::internal {

/// The server's side of TLS, read from and written to the socket by OpenSSL itself. Asio's stream
/// moves the same bytes through four buffers of a record's length, 70 KB for each connection that
/// is kept; here there are none between records. As `beast::basic_stream` it has one time for
/// whatever is under way. Works on the socket's executor alone.
template <typename Socket>
class TlsStream {
 public:
  using executor_type = typename Socket::executor_type;
  using Error = boost::system::error_code;
  using Clock = std::chrono::steady_clock;

  TlsStream(Socket socket, SSL_CTX* context)
      : inside_(std::make_shared<Inside>(std::move(socket), context)) {}

  [[nodiscard]] executor_type get_executor() { return inside_->socket.get_executor(); }
  [[nodiscard]] Socket& socket() { return inside_->socket; }
  [[nodiscard]] SSL* native_handle() { return inside_->tls.get(); }

  /// What is under way then, or begins later, ends with beast::error::timeout.
  void expires_after(Clock::duration time) {
    inside_->deadline = Clock::now() + time;
    // A timer that is set earlier looks again when it rings: nothing to do for each request.
    if (!inside_->rings || *inside_->deadline < *inside_->rings) set_timer(inside_);
  }
  void expires_never() { inside_->deadline.reset(); }

  template <typename Handler>
  void async_handshake(Handler handler) {
    start([inside = inside_.get()] { return SSL_do_handshake(inside->tls.get()); },
          [handler = std::move(handler)](Error error, std::size_t) mutable { handler(error); });
  }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(
        [this](auto handler, const auto& into) {
          const boost::asio::mutable_buffer room = first_of<boost::asio::mutable_buffer>(into);
          start([inside = inside_.get(),
                 room] { return SSL_read(inside->tls.get(), room.data(), length_of(room.size())); },
                std::move(handler));
        },
        token, buffers);
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(
        [this](auto handler, const auto& from) {
          // Head and body of a short answer are one record.
          auto flat = std::make_unique<std::string>();
          auto text = first_of<boost::asio::const_buffer>(from);
          if (text.size() < record) {
            flat->resize(std::min(record, boost::asio::buffer_size(from)));
            boost::asio::buffer_copy(boost::asio::buffer(*flat), from);
            text = boost::asio::buffer(*flat);
          }
          start(
              [inside = inside_.get(), text, flat = std::move(flat)] {
                return SSL_write(inside->tls.get(), text.data(), length_of(text.size()));
              },
              std::move(handler));
        },
        token, buffers);
  }

 private:
  struct Free {
    void operator()(SSL* one) const { SSL_free(one); }
  };

  struct Inside {
    Inside(Socket taken, SSL_CTX* context)
        : socket(std::move(taken)), timer(socket.get_executor()), tls(SSL_new(context)) {
      Error error;
      socket.native_non_blocking(true, error);
      if (error || !tls || !attach_socket(tls.get(), socket.native_handle())) {
        throw base::IoError("no TLS for a connection");
      }
    }
    Socket socket;
    boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, executor_type> timer;
    std::unique_ptr<SSL, Free> tls;
    std::optional<Clock::time_point> deadline;
    std::optional<Clock::time_point> rings;  // when the timer does
    bool late = false;
  };

  static void set_timer(const std::shared_ptr<Inside>& inside) {
    inside->rings = inside->deadline;
    inside->timer.expires_at(*inside->rings);
    inside->timer.async_wait([weak = std::weak_ptr<Inside>(inside)](Error error) {
      const auto kept = weak.lock();
      if (error || !kept) return;  // set anew, or nobody there
      kept->rings.reset();
      if (!kept->deadline) return;
      if (Clock::now() < *kept->deadline) return set_timer(kept);
      kept->late = true;
      kept->socket.close(error);
    });
  }

  /// Tries again until the socket is ready. The handler never runs inside the call that started it.
  template <typename Attempt, typename Handler>
  struct Work {
    std::shared_ptr<Inside> inside;
    Attempt attempt;
    Handler handler;
    bool begun = false;

    void operator()(Error error) {
      if (inside->late) error = boost::beast::error::timeout;
      if (error) return finish(error, 0);
      ERR_clear_error();
      errno = 0;
      const int done = attempt();
      if (done > 0) return finish({}, static_cast<std::size_t>(done));
      const int why = SSL_get_error(inside->tls.get(), done);
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return finish(fault(why), 0);
      begun = true;
      auto& socket = inside->socket;
      socket.async_wait(why == SSL_ERROR_WANT_READ ? Socket::wait_read : Socket::wait_write,
                        std::move(*this));
    }

    void finish(Error error, std::size_t bytes) {
      if (begun) return handler(error, bytes);
      const auto executor = inside->socket.get_executor();
      boost::asio::post(executor, [handler = std::move(handler), error, bytes]() mutable {
        handler(error, bytes);
      });
    }

    static Error fault(int why) {
      if (why == SSL_ERROR_ZERO_RETURN) return boost::asio::error::eof;
      if (why == SSL_ERROR_SYSCALL && errno != 0) return {errno, boost::system::system_category()};
      if (const auto code = ERR_get_error(); code != 0) {
        return {static_cast<int>(code), boost::asio::error::get_ssl_category()};
      }
      return boost::asio::ssl::error::stream_truncated;
    }
  };

  template <typename Attempt, typename Handler>
  void start(Attempt attempt, Handler handler) {
    Work<Attempt, Handler>{inside_, std::move(attempt), std::move(handler)}(Error());
  }

  template <typename Buffer, typename Buffers>
  static Buffer first_of(const Buffers& buffers) {
    for (auto one = boost::asio::buffer_sequence_begin(buffers);
         one != boost::asio::buffer_sequence_end(buffers); ++one) {
      if (const Buffer buffer(*one); buffer.size() > 0) return buffer;
    }
    return {};
  }
  static int length_of(std::size_t bytes) { return static_cast<int>(std::min(bytes, record)); }

  static constexpr std::size_t record = std::size_t{1} << 14;

  std::shared_ptr<Inside> inside_;
};

}  // namespace tacet::local::internal
