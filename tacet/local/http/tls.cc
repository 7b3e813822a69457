#include "tacet/local/http/tls.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"

namespace tacet::local::internal {
namespace {

namespace ssl = boost::asio::ssl;

/// OpenSSL has no words for a file that cannot be read.
std::string tls_reason(const boost::system::error_code& error, const std::string& file) {
  if (::access(file.c_str(), R_OK) != 0) return std::generic_category().message(errno);
  return error.message();
}

void load(const boost::system::error_code& error, const char* what, const std::string& file) {
  if (!error) return;
  throw base::IoError("cannot use the {} '{}': {}", what, file, tls_reason(error, file));
}

constexpr const char* tls12_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!eNULL";

void only_modern(ssl::context& context) {
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  // For TLS 1.2: keys of one connection only (no static RSA), and authenticated encryption.
  if (SSL_CTX_set_cipher_list(context.native_handle(), tls12_ciphers) != 1) {
    throw base::IoError("this machine's OpenSSL has no ciphers that tacet accepts");
  }
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
}

void show(ssl::context& context, const std::string& certificate, const std::string& key) {
  boost::system::error_code error;
  context.use_certificate_chain_file(certificate, error);
  load(error, "certificate", certificate);
  context.use_private_key_file(key, ssl::context::pem, error);
  if (error) {
    throw base::IoError("cannot use the key '{}' with the certificate '{}': {}", key, certificate,
                        tls_reason(error, key));
  }
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    throw base::IoError("the key '{}' is not that of the certificate '{}'", key, certificate);
  }
}

// ---- a socket as OpenSSL sees it; its own would raise SIGPIPE

int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int after_call(BIO* bio, ssize_t done) {
  BIO_clear_retry_flags(bio);
  return static_cast<int>(done);
}

int socket_read(BIO* bio, char* bytes, int size) {
  const auto done = ::recv(descriptor_of(bio), bytes, static_cast<std::size_t>(size), 0);
  const bool again = done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  const int result = after_call(bio, done);
  if (again) BIO_set_retry_read(bio);
  return result;
}

int socket_write(BIO* bio, const char* bytes, int size) {
  const auto done = ::send(descriptor_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  const bool again = done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  const int result = after_call(bio, done);
  if (again) BIO_set_retry_write(bio);
  return result;
}

long socket_control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
    std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"), BIO_meth_free);
    if (made && (BIO_meth_set_read(made.get(), socket_read) != 1 ||
                 BIO_meth_set_write(made.get(), socket_write) != 1 ||
                 BIO_meth_set_ctrl(made.get(), socket_control) != 1)) {
      made.reset();
    }
    return made;
  }();
  return method.get();
}

// ---- new keys

/// TLS 1.3 lets a client ask for new keys as often as it likes, at 22 bytes each. A device needs
/// few key updates; a connection with more of them is closed.
constexpr std::intptr_t max_key_updates = 8;

int key_update_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return slot;
}

void count_key_updates(int sent, int /*version*/, int type, const void* bytes, std::size_t size,
                       SSL* connection, void* /*argument*/) {
  if (sent != 0 || type != SSL3_RT_HANDSHAKE || size == 0 ||
      *static_cast<const unsigned char*>(bytes) != SSL3_MT_KEY_UPDATE) {
    return;
  }
  const auto before =
      reinterpret_cast<std::intptr_t>(SSL_get_ex_data(connection, key_update_slot()));
  SSL_set_ex_data(connection, key_update_slot(), reinterpret_cast<void*>(before + 1));
  if (before >= max_key_updates) SSL_set_shutdown(connection, SSL_RECEIVED_SHUTDOWN);
}

}  // namespace

bool attach_socket(SSL* connection, int descriptor) {
  BIO* const bio = socket_method() == nullptr ? nullptr : BIO_new(socket_method());
  if (bio == nullptr) return false;
  BIO_set_data(bio, reinterpret_cast<void*>(std::intptr_t{descriptor}));
  BIO_set_init(bio, 1);
  SSL_set_bio(connection, bio, bio);
  SSL_set_accept_state(connection);
  return true;
}

std::shared_ptr<ssl::context> server_tls(const std::string& certificate, const std::string& key,
                                         const std::string& client_ca) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  only_modern(*context);
  show(*context, certificate, key);
  SSL_CTX_set_mode(context->native_handle(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context->native_handle(), 1);  // a record in one call, not in two
  // Without automatic retry a client that sends endless empty records cannot keep the thread.
  SSL_CTX_clear_mode(context->native_handle(), SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_msg_callback(context->native_handle(), count_key_updates);
  SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  // A device does not come back soon, so session tickets would only be work, and a key to steal.
  SSL_CTX_set_num_tickets(context->native_handle(), 0);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_TICKET);  // of TLS 1.2
  if (client_ca.empty()) return context;
  boost::system::error_code error;
  context->load_verify_file(client_ca, error);
  load(error, "certificates of clients' authorities", client_ca);
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

ssl::context client_tls(const ClientTls& options) {
  ssl::context context(ssl::context::tls_client);
  only_modern(context);
  context.set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (options.ca.empty()) {
    context.set_default_verify_paths(error);
    if (error) {
      throw base::IoError("cannot use the system's certificates of authorities: {}; name a file",
                          error.message());
    }
  } else {
    context.load_verify_file(options.ca, error);
    load(error, "certificates of authorities", options.ca);
  }
  if (!options.certificate.empty()) show(context, options.certificate, options.key);
  return context;
}

void expect_host(SSL* connection, const std::string& host) {
  auto* const expected = SSL_get0_param(connection);
  boost::system::error_code no_address;
  static_cast<void>(boost::asio::ip::make_address(host, no_address));
  bool set = false;
  if (no_address) {
    // A common name is no name of a machine (RFC 9525): only alternative names count.
    X509_VERIFY_PARAM_set_hostflags(
        expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    set = X509_VERIFY_PARAM_set1_host(expected, host.c_str(), 0) == 1 &&
          SSL_set1_host(connection, host.c_str()) == 1;
    // OpenSSL's macro for it has a C-style cast, which our warnings refuse.
    SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
  } else {
    set = X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1;
  }
  if (!set) throw base::UsageError("'{}' is no name of a machine", host);
}

std::string key_digest(SSL* connection) {
  X509* const certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr) return {};
  unsigned char* bytes = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes);
  if (size <= 0) return {};
  base::Sha256 sum;
  sum.add({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  OPENSSL_free(bytes);
  return sum.digest();
}

std::string verification_fault(SSL* connection) {
  const long result = SSL_get_verify_result(connection);
  return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

}  // namespace tacet::local::internal
