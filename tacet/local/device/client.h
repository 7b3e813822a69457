#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tacet/local/device/patience.h"
#include "tacet/local/device/policy.h"
#include "tacet/local/protocol/task.h"

namespace tacet::local {

/// One device's part in one task.
struct Participation {
  const Task& task;  ///< from somebody else than the server, or checked by its digest
  const Policy& policy;
  std::filesystem::path record;         ///< a file with one record, by the task's schema
  std::filesystem::path folder;         ///< what the device keeps
  std::string token;                    ///< empty: the transport shows a certificate
  bool only_resume = false;             ///< send a report that was drawn before, draw none; one
                                        ///< that counted is sent again
  std::chrono::seconds patience{3600};  ///< how long a server that does not answer is waited for
};

struct ParticipationResult {
  std::string answer;    ///< the server's code: "counted", or why it took no report at last
  bool resumed = false;  ///< the report had been drawn before
};

/// Takes part, once, in this order: the task against the policy, the record's structure, a slot
/// that lasts long enough, the model against its digest and bound, the reservation in the device's
/// ledger, then the record, its gradient, the report; the report stored durably, the booking ended,
/// the delay waited, and the same bytes sent until they are answered. What ends it before the
/// report is stored has released nothing, and its reservation is given back; after that only these
/// bytes are ever sent, whoever calls again, and only when the ledger holds their cost.
///
/// No number of bytes that are sent depends on the record, and none but the report's own ones.
/// Times of sending do not either, as long as what is done with the record takes less than 0.1 s
/// (0.2 s, 0.4 s, ...: the next one is waited for): then the slot is asked for and the report is
/// sent that long, and the task's random delay, after what came before.
///
/// BudgetError and GuaranteeError where policy, ledger or model forbid it; DataError for a record
/// of another structure than the schema's; IoError where the server cannot be reached or does not
/// let the device take part; UsageError for `only_resume` without a report.
[[nodiscard]] ParticipationResult take_part(const Participation& part,
                                            const DeviceContext& context);

/// Everything that decides the bytes of a report, for test vectors.
struct RehearsedReport {
  std::uint64_t seed = 0;
  std::uint64_t round = 0;
  std::string model;  ///< its bytes, as the server sends them
  std::uint64_t report_number = 0;
};
/// The frame that a device would send if its noise came from this seed. It protects nobody: for
/// records that were made up. It is sent to nobody, booked nowhere and kept nowhere. DataError as
/// take_part, and for a model of another length.
[[nodiscard]] std::string rehearse_report(const Task& task, const std::filesystem::path& record,
                                          const RehearsedReport& rehearsal);

/// The task that the server offers, which must have this digest: GuaranteeError otherwise. IoError
/// where it cannot be had as long as patience lasts.
[[nodiscard]] Task fetch_task(const std::string& digest, const DeviceContext& context,
                              std::chrono::seconds patience);

}  // namespace tacet::local
