#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

/// Certificates made on the spot, for servers and devices of tests.
namespace tacet::test {

using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

/// An authority, and what it signs. P-256, as servers of devices have it.
class Authority {
 public:
  Authority()
      : key_(new_key()), certificate_(make(key_.get(), "CN=test authority", {}, 0, 86400)) {}

  struct Files {
    std::string certificate;
    std::string key;
  };
  /// For an address or a name ("IP:127.0.0.1", "DNS:example.org"), good for so many seconds;
  /// `none`: for no other than the common name.
  [[nodiscard]] Files issue(const std::filesystem::path& folder, const std::string& name,
                            const std::string& subject, long seconds = 3600) const {
    return issue(new_key(), folder, name, subject, seconds);
  }
  /// The same with a key for RSA, by which TLS 1.2 can do without keys of a connection.
  [[nodiscard]] Files issue_rsa(const std::filesystem::path& folder, const std::string& name,
                                const std::string& subject) const {
    return issue({EVP_RSA_gen(2048), EVP_PKEY_free}, folder, name, subject, 3600);
  }
  static constexpr const char* none = "none";

 private:
  [[nodiscard]] Files issue(const PrivateKey& key, const std::filesystem::path& folder,
                            const std::string& name, const std::string& subject,
                            long seconds) const {
    const auto certificate = make(key.get(), name, subject, -7200, seconds);
    Files files{(folder / (name + ".pem")).string(), (folder / (name + ".key")).string()};
    write(files.certificate, [&](FILE* file) { PEM_write_X509(file, certificate.get()); });
    write(files.key, [&](FILE* file) {
      PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    return files;
  }

 public:
  [[nodiscard]] std::string file(const std::filesystem::path& folder) const {
    const auto path = (folder / "authority.pem").string();
    write(path, [&](FILE* file) { PEM_write_X509(file, certificate_.get()); });
    return path;
  }

 private:
  static PrivateKey new_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

  template <typename Body>
  static void write(const std::string& path, const Body& body) {
    FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    body(file);
    std::fclose(file);
  }

  [[nodiscard]] Certificate make(EVP_PKEY* key, const std::string& name, const std::string& subject,
                                 long from, long to) const {
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    static long serial = 1;
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), from);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), to);
    X509_set_pubkey(made.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    const bool authority = subject.empty();
    X509* const issuer = authority ? made.get() : certificate_.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    extend(made.get(), issuer, NID_basic_constraints,
           authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (!authority && subject != none) {
      extend(made.get(), issuer, NID_subject_alt_name, subject);
    }
    X509_sign(made.get(), authority ? key : key_.get(), EVP_sha256());
    return made;
  }

  static void extend(X509* to, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    if (extension == nullptr) throw std::runtime_error("cannot extend a certificate");
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
  }

  PrivateKey key_;
  Certificate certificate_{nullptr, X509_free};
};

}  // namespace tacet::test
