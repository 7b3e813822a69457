#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/sha256.h"

namespace tacet::run {

/// Where the result of a run goes. It takes the result in pieces and keeps it to itself until it is
/// booked. Made before anything is booked, so that what cannot be written costs nothing. Not for
/// several threads at once.
class Output {
 public:
  virtual ~Output() = default;
  /// As ledgers keep it.
  [[nodiscard]] virtual std::string name() const = 0;
  virtual void write(std::string_view piece) = 0;
  /// Shows everything that was written.
  virtual void appear() = 0;
};

/// A file that appears whole or not at all. IoError when it cannot be written.
class FileOutput : public Output {
 public:
  FileOutput(const std::string& path, base::Overwrite overwrite)
      : name_(path), file_(path, overwrite) {}

  [[nodiscard]] std::string name() const override { return name_; }
  void write(std::string_view piece) override { file_.write(piece); }
  void appear() override { file_.commit(); }

 private:
  std::string name_;
  base::AtomicFile file_;
};

/// The output of a result that its caller holds: only its hash counts.
class UnwrittenOutput : public Output {
 public:
  explicit UnwrittenOutput(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  void write(std::string_view) override {}
  void appear() override {}

 private:
  std::string name_;
};

/// What takes the pieces of a result.
class Pieces {
 public:
  explicit Pieces(Output& output) : output_(output) {}
  void write(std::string_view piece) {
    digest_.add(piece);
    output_.write(piece);
  }
  /// The hash of everything that was written. Nothing may be written afterwards.
  [[nodiscard]] std::string sha256() { return digest_.digest(); }

 private:
  Output& output_;
  base::Sha256 digest_;
};

}  // namespace tacet::run
