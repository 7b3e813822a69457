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
        "Keep encoded records on disk, in a file without a name in this folder, of which nothing "
        "stays [default: in memory]");
  }
  /// Made before anything is booked: a folder that cannot be used must cost nothing. Null where it
  /// was not given.
  [[nodiscard]] std::shared_ptr<base::Spool> open() const {
    return folder_.empty() ? nullptr : base::Spool::in(folder_);
  }

 private:
  std::string folder_;
};

}  // namespace tacet::apps
