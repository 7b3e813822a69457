#pragma once

#include <memory>

#include "tacet/random/source/source.h"

namespace tacet::run::internal {

/// A run of its own of the source that was given, or of a new one of the operating system's.
class OwnSource {
 public:
  explicit OwnSource(random::Source* given)
      : own_(given != nullptr ? nullptr : random::SecureSource::create()),
        source_(given != nullptr ? *given : *own_) {
    if (source_.begun()) source_.next_run();
  }
  [[nodiscard]] random::Source& get() const { return source_; }

 private:
  std::unique_ptr<random::Source> own_;
  random::Source& source_;
};

}  // namespace tacet::run::internal
