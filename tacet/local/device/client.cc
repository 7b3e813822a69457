#include "tacet/local/device/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/device/device_books.h"
#include "tacet/local/device/folder.h"
#include "tacet/local/device/record_file.h"
#include "tacet/local/device/refusal.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/vectors.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::local {
namespace {

using std::chrono::milliseconds;
using DeviceClock = std::chrono::steady_clock;

constexpr auto min_work = milliseconds(100);
constexpr const char* counted = "counted";

// Purposes of the device's own numbers; its noise has another purpose.
constexpr std::uint64_t delay_step = 0;
constexpr std::uint64_t report_id_step = 1;
constexpr std::uint64_t pause_step = 2;
constexpr std::uint64_t fetch_pause_step = 3;

struct Place {
  Slot slot;
  std::vector<double> point;  ///< the model of its round
};

struct Payment {
  random::Source& source;
  privacy::Reservation& reservation;
};

/// What is sent of the record: its gradient at the point, made private, in a frame.
std::string drawn_report(const Task& task, const data::Dataset& record, const Place& place,
                         std::uint64_t number, const Payment& payment) {
  const optimize::RecordGradient gradients(record, task.plan.loss,
                                           {.clipping_norm = task.randomizer().spec().clipping_norm,
                                            .norm_bits = task.randomizer().norm_bits(),
                                            .class_weights = task.plan.class_weights});
  const auto report = mechanism::release_report(gradients.at(place.point, 0), task.randomizer(),
                                                {.step = 0}, payment.source, payment.reservation);
  return frame_bytes({.round = place.slot.round,
                      .model = model_mark(place.slot.model),
                      .report_id = number,
                      .report = report.value()},
                     task.layout);
}

/// Values are never at fault; the file's structure is.
data::Dataset read_record(const Task& task, const RecordFile& record,
                          const base::CancelToken* cancel) {
  auto records = record.read(task.schema, cancel);
  if (records.rows() == 1) return records;
  throw base::DataError("'{}' holds {} records, but a device takes part with one; {}",
                        record.name().string(), records.rows() == 0 ? "no" : "several",
                        nothing_done);
}

class Device {
 public:
  Device(const Participation& part, const DeviceContext& context)
      : part_(part),
        context_(context),
        task_(part.task),
        patience_(context, part.patience, pause_step) {}

  ParticipationResult run() {
    check_policy(part_.policy, task_);
    RecordFile::refuse_stream(part_.record);
    if (!part_.token.empty() && !context_.transport.confidential()) {
      throw base::GuaranteeError(
          "a token is sent over HTTPS only, or to a server on this machine; {}. Give the "
          "server's https:// address",
          nothing_done);
    }
    const DeviceFolder folder(part_.folder, context_.cancel);
    auto report = stored_report(folder);
    const bool resumed = report.has_value();
    auto answer = resumed ? folder.answer(task_.digest) : std::string();
    // With only_resume a report that counted is sent again, because the server may have lost it.
    if (answer.empty() || (part_.only_resume && answer == counted)) {
      answer = resumed ? send(folder, *report) : draw_and_send(folder);
    }
    return {answer, resumed};
  }

 private:
  // ---- before the record counts

  void say(const std::string& text) const {
    if (context_.say) context_.say(text);
  }

  [[nodiscard]] data::Dataset read(const RecordFile& record) const {
    return read_record(task_, record, context_.cancel);
  }

  /// What an earlier call has drawn.
  [[nodiscard]] std::optional<std::string> stored_report(const DeviceFolder& folder) const {
    auto report = folder.report(task_.digest, task_.layout.bytes());
    if (!report) {
      if (folder.may_have_sent(task_.digest)) DeviceBooks::refuse_second(folder, task_.digest);
      if (!part_.only_resume) return std::nullopt;
      throw base::UsageError(
          "there is nothing to resume: '{}' has no report for task {}, so that none was sent; "
          "leave `resume` out to take part",
          part_.folder.string(), task_.digest);
    }
    Frame frame;
    const auto fault = read_frame(*report, task_.layout, frame);
    if (fault == FrameFault::none) return report;
    throw base::DataError("'{}' in '{}' is no report for task {} ({}); this call has sent nothing",
                          folder.report_name(task_.digest), part_.folder.string(), task_.digest,
                          frame_fault_names.of(fault));
  }

  [[nodiscard]] std::string draw_and_send(const DeviceFolder& folder) {
    const auto begin = DeviceClock::now();
    const RecordFile record(part_.record);
    static_cast<void>(read(record));  // its structure, before anybody is asked
    DeviceBooks books(folder, part_, record, context_);
    books.resolve_attempts();
    wait_until(begin + worked_time(begin));
    random::Stream probability(context_.source.claim(random::Purpose::sampling, delay_step, 0, 64));
    const double share = static_cast<double>(probability.next() >> 11) * 0x1p-53;
    const auto delay =
        milliseconds(static_cast<std::int64_t>(share * 1000 * task_.terms.delay_seconds));
    const auto place = find_place(delay);
    const auto start = DeviceClock::now();
    const auto report = release(books, folder, record, place);
    books.book_report(report);
    wait_until(start + worked_time(start) + delay);
    return send_booked(folder, report);
  }

  [[nodiscard]] std::string send(const DeviceFolder& folder, const std::string& report) {
    const RecordFile record(part_.record);
    DeviceBooks(folder, part_, record, context_).book_report(report);
    return send_booked(folder, report);
  }

  // ---- times

  /// How long work on the record is said to have taken: the smallest double of `min_work` that it
  /// did not exceed, so that records whose work differs by less are sent at the same time.
  [[nodiscard]] static DeviceClock::duration worked_time(DeviceClock::time_point since) {
    DeviceClock::duration time = min_work;
    while (DeviceClock::now() - since > time) time *= 2;
    return time;
  }

  void wait_until(DeviceClock::time_point time) const {
    const auto left = std::chrono::ceil<milliseconds>(time - DeviceClock::now());
    context_.wait(std::max(left, milliseconds(0)));
  }

  // ---- the server, before anything is spent

  [[noreturn]] static void give_up(const HttpReply& reply, const std::string& remains) {
    const auto code = error_code(reply.body);
    throw base::IoError("the server does not let this device take part: {}; {}",
                        code.empty() ? fmt::format("status {}", reply.status) : code, remains);
  }

  /// What `read` makes of an answer. One that cannot be read has cost nothing, too.
  template <typename Read>
  [[nodiscard]] static auto understood(const Read& read) {
    try {
      return read();
    } catch (const base::DataError& error) {
      throw base::DataError("{}; {}", error.what(), nothing_done);
    }
  }

  [[nodiscard]] Slot ask_for_slot() {
    const std::string remains = nothing_done;
    const auto reply =
        patience_.persist({.method = "POST", .path = "/v1/slot", .token = part_.token}, remains);
    if (reply.status != 200) give_up(reply, remains);
    auto slot = understood([&] { return slot_from_json(reply.body); });
    if (slot.task != task_.digest) {
      throw base::GuaranteeError("the server works on task {}, the device on {}; {}", slot.task,
                                 task_.digest, nothing_done);
    }
    if (slot.round >= static_cast<std::uint64_t>(task_.plan.rounds)) {
      throw base::GuaranteeError("the server's slot is of round {}, the task has {}; {}",
                                 slot.round, task_.plan.rounds, nothing_done);
    }
    return slot;
  }

  /// A slot that does not end before the report can be sent, and its model.
  [[nodiscard]] Place find_place(milliseconds delay) {
    const auto patience_ends = DeviceClock::now() + part_.patience;
    for (int attempt = 0;; ++attempt) {
      const auto slot = ask_for_slot();
      const auto end = DeviceClock::now() + std::chrono::seconds(slot.seconds);
      auto point = fetch_point(slot);
      if (DeviceClock::now() + delay + min_work <= end) return {slot, std::move(point)};
      const auto now = DeviceClock::now();
      if (now >= patience_ends) {
        throw base::IoError("the server's slots end before a report can be sent; {}", nothing_done);
      }
      // Not each time: a server can give such slots as long as patience lasts.
      if (std::has_single_bit(static_cast<unsigned>(attempt) + 1)) {
        say("the slot ends too soon: waiting for another one");
      }
      patience_.pause(attempt, std::chrono::ceil<milliseconds>(end - now), patience_ends - now);
    }
  }

  [[nodiscard]] std::vector<double> fetch_point(const Slot& slot) {
    const auto dimension = static_cast<std::size_t>(task_.plan.columns);
    const std::string remains = nothing_done;
    const auto reply =
        patience_.persist({.path = "/v1/model/" + slot.model, .max_bytes = 8 * dimension}, remains);
    if (reply.status != 200) give_up(reply, remains);
    if (ledger::sha256(reply.body) != slot.model) {
      throw base::GuaranteeError("the server's model is not the one it named; {}", nothing_done);
    }
    auto point = understood([&] { return model_from_bytes(reply.body, dimension); });
    const double norm = std::sqrt(dot(point, point));
    const double max = std::min(task_.terms.largest_norm, part_.policy.largest_norm);
    if (!(norm <= max)) {  // NaN is not below
      throw base::GuaranteeError(
          "the server's model is longer than the {} that task and policy allow, or not finite; {}",
          max, nothing_done);
    }
    return point;
  }

  // ---- the record

  /// Books the cost, reads the record, randomises it and stores the report. After it has returned,
  /// the device sends no other bytes than the stored ones. If it ends earlier, the booking stays,
  /// and the next attempt gives it back.
  [[nodiscard]] std::string release(DeviceBooks& books, const DeviceFolder& folder,
                                    const RecordFile& file, const Place& place) {
    auto reservation = books.reserve();
    const auto record = read_or_cancel(file, reservation);
    random::Stream number(context_.source.claim(random::Purpose::sampling, report_id_step, 0, 64));
    const auto bytes = drawn_report(task_, record, place, number.next(),
                                    {.source = context_.source, .reservation = reservation});
    folder.keep_report(task_.digest, bytes);
    return bytes;
  }

  [[nodiscard]] data::Dataset read_or_cancel(const RecordFile& file,
                                             privacy::Reservation& reservation) const {
    try {
      return read(file);
    } catch (...) {
      reservation.cancel();
      throw;
    }
  }

  // ---- the report

  [[nodiscard]] std::string send_booked(const DeviceFolder& folder, const std::string& report) {
    folder.begin_sending(task_.digest);
    const auto answer = exchange_report(report);
    folder.keep_answer(task_.digest, answer);
    return answer;
  }

  [[nodiscard]] std::string exchange_report(const std::string& report) {
    const auto remains =
        fmt::format("the report stays in '{}', `resume` sends it", part_.folder.string());
    const auto reply = patience_.persist(
        {.method = "POST", .path = "/v1/report", .token = part_.token, .body = report}, remains,
        says_counted);
    if (reply.status == 200) return counted;
    const auto code = error_code(reply.body);
    const auto reason = reason_names.find(code);
    // Answers that no later attempt changes.
    for (const auto last :
         {Reason::used_token, Reason::repeated_report, Reason::too_late, Reason::finished}) {
      if (reason == last) return code;
    }
    give_up(reply, remains);
  }

  const Participation& part_;
  const DeviceContext& context_;
  const Task& task_;
  Patience patience_;
};

}  // namespace

ParticipationResult take_part(const Participation& part, const DeviceContext& context) {
  return Device(part, context).run();
}

std::string rehearse_report(const Task& task, const std::filesystem::path& record,
                            const RehearsedReport& rehearsal) {
  random::SeededSource source(rehearsal.seed);
  privacy::TrustingBudget nobody(task.plan.guarantee.adjacency);
  auto reservation = nobody.reserve(task.randomizer().event(), task.plan.guarantee);
  Place place;
  place.point = model_from_bytes(rehearsal.model, static_cast<std::size_t>(task.plan.columns));
  place.slot = Slot{.task = task.digest,
                    .round = rehearsal.round,
                    .model = ledger::sha256(rehearsal.model),
                    .seconds = 0};
  return drawn_report(task, read_record(task, RecordFile(record), nullptr), place,
                      rehearsal.report_number, {.source = source, .reservation = reservation});
}

Task fetch_task(const std::string& digest, const DeviceContext& context,
                std::chrono::seconds patience) {
  const auto reply =
      Patience(context, patience, fetch_pause_step)
          .persist({.path = "/v1/task", .max_bytes = std::size_t{base::limits::schema_bytes}},
                   nothing_done);
  if (reply.status != 200) {
    throw base::IoError("the server offers no task: status {}", reply.status);
  }
  if (ledger::sha256(reply.body) != digest) {
    throw base::GuaranteeError("the server offers another task than {}; {}", digest, nothing_done);
  }
  return task_from_text(reply.body, "the server's task");
}

}  // namespace tacet::local
