#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/progress.h"

namespace tacet::local {

/// What a device keeps: for each task the report it has drawn and what became of it, and the ledger
/// of what all of them cost. One process works in it at a time, one thread of it; others wait.
///
///     device.ledger       the account `record`
///     DIGEST.report       the bytes that are sent, and no others ever
///     DIGEST.sending      that they may have left: made before they are first sent
///     DIGEST.answer       what the server said at last: a code
class DeviceFolder {
 public:
  /// Makes the folder, for its owner only, and waits for processes that work in it. IoError where
  /// it is somebody else's, or others may write in it.
  DeviceFolder(std::filesystem::path path, const base::CancelToken* cancel);
  ~DeviceFolder();
  DeviceFolder(const DeviceFolder&) = delete;
  DeviceFolder& operator=(const DeviceFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path ledger() const { return path_ / "device.ledger"; }
  /// The tasks that have a report here, or may have sent one.
  [[nodiscard]] std::vector<std::string> tasks() const;
  /// The report that was drawn for the task; none: there is none any more, or none was drawn.
  /// IoError for a link, or somebody else's file.
  [[nodiscard]] std::optional<std::string> report(const std::string& task,
                                                  std::size_t max_bytes) const;
  /// Durable when it returns. IoError where there is one already.
  void keep_report(const std::string& task, const std::string& bytes) const;
  /// Durable when it returns: from now on the report may have left, whatever becomes of its file.
  void begin_sending(const std::string& task) const;
  [[nodiscard]] bool may_have_sent(const std::string& task) const;
  /// The code of the final answer to it; empty: none has come.
  [[nodiscard]] std::string answer(const std::string& task) const;
  void keep_answer(const std::string& task, const std::string& code) const;
  [[nodiscard]] std::string report_name(const std::string& task) const { return task + ".report"; }

 private:
  void check_owner() const;
  void lock(const base::CancelToken* cancel);
  [[nodiscard]] std::optional<std::string> own_file(const std::string& name,
                                                    std::size_t max_bytes) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace tacet::local
