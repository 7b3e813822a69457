#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tacet::base {

/// SHA-256 of a text that comes in pieces. Not for several threads at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256(Sha256&&) = delete;
  Sha256& operator=(Sha256&&) = delete;

  void add(std::string_view text);
  /// 64 lower-case hexadecimal digits. Ends the sum: no text may follow.
  [[nodiscard]] std::string digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace tacet::base
