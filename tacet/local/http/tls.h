#pragma once

#include <utility>  // before Asio 1.74

#include <boost/asio/ssl.hpp>
#include <memory>
#include <string>

namespace tacet::local::internal {

/// TLS 1.2 at least. IoError that names the file which cannot be used. `client_ca` may be empty.
[[nodiscard]] std::shared_ptr<boost::asio::ssl::context> server_tls(const std::string& certificate,
                                                                    const std::string& key,
                                                                    const std::string& client_ca);

/// Has the server's side of a connection read and write a socket that waits for nothing, by itself
/// and without SIGPIPE. False where memory is missing.
[[nodiscard]] bool attach_socket(SSL* connection, int descriptor);

/// What a client trusts, and shows.
struct ClientTls {
  std::string ca;           ///< PEM file; empty: the system's
  std::string certificate;  ///< PEM file of its own; empty: none
  std::string key;
};
[[nodiscard]] boost::asio::ssl::context client_tls(const ClientTls& options);

/// From now on the handshake succeeds only with a certificate for this host or address.
void expect_host(SSL* connection, const std::string& host);

/// SHA-256 of the public key in the peer's certificate, in hexadecimal; empty: it showed none.
[[nodiscard]] std::string key_digest(SSL* connection);

/// Why the peer's certificate was refused; empty: it was not.
[[nodiscard]] std::string verification_fault(SSL* connection);

}  // namespace tacet::local::internal
