#pragma once

#include <memory>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/base/spool.h"

namespace tacet::apps {

/// The option --spool of commands that hold encoded records.
class SpoolOption {
 public:
  void declare(Options& options) {
    options.add(
        "--spool", folder_, "FOLDER",
        "Keep the encoded records in a file in this folder instead of in memory; the file has no "
        "name, and is gone when the command ends [default: in memory]");
  }
  /// Makes the file, or returns null if the option was not given. To be called before anything is
  /// booked, so that a folder which cannot be used costs nothing.
  [[nodiscard]] std::shared_ptr<base::Spool> open() const {
    return folder_.empty() ? nullptr : base::Spool::in(folder_);
  }

 private:
  std::string folder_;
};

}  // namespace tacet::apps
