#include "tacet/local/device/device_books.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/process.h"
#include "tacet/local/device/refusal.h"

namespace tacet::local {
namespace {

constexpr const char* record_account = "record";

}  // namespace

DeviceBooks::DeviceBooks(const DeviceFolder& folder, const Participation& part,
                         const RecordFile& record, const DeviceContext& context)
    : folder_(folder), part_(part), record_(record), context_(context) {
  open();
  budget_.emplace(*ledger_, ledger::RunDetails{
                                .data_set = record_account, .command = command(), .fate = fate()});
}

/// One mark for one file.
void DeviceBooks::check_names() const {
  if (const auto names = record_.names(); names > 1) {
    throw base::BudgetError(
        "the record '{}' has {} names (hard links), and what was spent on it stands beside one of "
        "them only; {}. Keep one name, whatever the policy says",
        record_.name().string(), names, nothing_done);
  }
  if (books_ || !record_.may_be_mounted()) return;
  throw base::BudgetError(
      "the record '{}' is a mount point by itself, and what was spent on it may stand beside the "
      "place that it is mounted from; {}. Mount its folder instead, or name a place for the books "
      "in the policy (books = FOLDER)",
      record_.name().string(), nothing_done);
}

std::filesystem::path DeviceBooks::find_books() {
  if (part_.policy.books.empty()) return folder_.ledger();
  std::error_code error;
  const auto place = std::filesystem::weakly_canonical(part_.policy.books, error);
  if (error) {
    throw base::IoError("cannot find the policy's folder for books, '{}': {}; {}",
                        part_.policy.books.string(), error.message(), nothing_done);
  }
  const auto holds = [&](const std::filesystem::path& other) {
    const auto outer = std::filesystem::canonical(other);
    return std::ranges::mismatch(outer, place).in1 == outer.end();
  };
  if (holds(record_.folder()) || holds(folder_.path())) {
    throw base::BudgetError(
        "the policy's folder for books, '{}', lies in the record's folder or in the device's, so "
        "that it could go with them; {}. Name another place",
        part_.policy.books.string(), nothing_done);
  }
  books_.emplace(place, context_.cancel);
  return books_->ledger();
}

void DeviceBooks::open() {
  const auto path = find_books();
  check_names();
  ledger::HeldMarks marks(record_.folder(), context_.cancel);
  const auto mark = marks.find(record_.path().filename().string());
  std::error_code error;
  if (!std::filesystem::exists(path, error) && (mark || !folder_.tasks().empty())) {
    const auto was = mark ? ledger::ledger_path(record_.folder(), *mark).string() : "";
    throw base::BudgetError(
        "'{}' is missing, which says what was spent on '{}'{}; {}. Give the folder that has it, or "
        "put it back",
        path.string(), record_.name().string(), mark ? fmt::format(" (it was '{}')", was) : "",
        nothing_done);
  }
  ledger::Ledger::ensure(path);
  ledger_.emplace(path, ledger::OpenOptions{.cancel = context_.cancel});
  marked_ = mark.has_value();
  check_mark(marks, nothing_done);
  check_folder();
  set_account();
  if (!mark) set_mark(marks);
}

void DeviceBooks::check_mark(const ledger::HeldMarks& marks, const std::string& remains) {
  if (!record_.stands_in(marks)) {
    throw base::BudgetError(
        "'{}' is another file than when this device began: it, or a folder or link on the way to "
        "it, was changed; {}. Start it again",
        record_.name().string(), remains);
  }
  const auto mark = marks.find(record_.path().filename().string());
  if (!mark && !marked_) return;
  if (!mark) {
    throw base::BudgetError(
        "the mark beside '{}', which says where it stands what was spent on it, is gone since this "
        "device began; {}. Start it again",
        record_.name().string(), remains);
  }
  if (mark->ledger_name != ledger_->snapshot().ledger) {
    throw base::BudgetError(
        "what was spent on '{}' stands in the ledger '{}', which is another one than '{}'; {}",
        record_.name().string(), ledger::ledger_path(record_.folder(), *mark).string(),
        ledger_->path().string(), remains);
  }
  ledger::check_continues(*mark, *ledger_);
}

void DeviceBooks::set_mark(ledger::HeldMarks& marks) {
  try {
    marks.put({record_.path().filename().string(), record_account,
               ledger::path_for_mark(record_.folder(), ledger_->path()), ledger_->snapshot().ledger,
               ledger_->position()});
    marked_ = true;
  } catch (const base::IoError& failure) {
    accept_fixed_mark(failure.what(), nothing_done);
  }
}

void DeviceBooks::check_follows(ledger::HeldMarks& marks) {
  if (!marked_) return;
  try {
    marks.rewrite();
  } catch (const base::IoError& failure) {
    accept_fixed_mark(failure.what(), nothing_done);
  }
}

void DeviceBooks::follow(ledger::HeldMarks& marks, const std::string& remains) {
  std::string why = "its folder takes no files";
  try {
    if (marks.advance(*ledger_)) return;
  } catch (const base::IoError& failure) {
    why = failure.what();
  }
  accept_fixed_mark(why, remains);
}

void DeviceBooks::accept_fixed_mark(const std::string& why, const std::string& remains) {
  if (!books_) {
    throw base::BudgetError(
        "the mark beside '{}' cannot be written, so that a second folder, or an older one, would "
        "be a second budget: {}; {}. Keep the record in a folder that takes files, or name a place "
        "for the books in the policy (books = FOLDER)",
        record_.name().string(), why, remains);
  }
  if (std::exchange(remarked_, true) || !context_.say) return;
  context_.say(fmt::format(
      "the record could not be marked; what is spent stands in the policy's folder alone: {}",
      why));
}

/// Every report that was drawn here is paid for: no older state of the ledger took its place.
void DeviceBooks::check_folder() {
  const auto snapshot = ledger_->snapshot();
  const auto* account = snapshot.find(record_account);
  for (const auto& task : folder_.tasks()) {
    if (task == part_.task.digest) continue;  // decided by what follows
    const auto command = "join " + task;
    if (account != nullptr && account->commands.contains(command) &&
        account->commands.at(command) > 0) {
      continue;
    }
    throw base::BudgetError(
        "the ledger '{}' does not hold what the report for task {} has cost; {}. Put the ledger "
        "back that does, or go on with that task first (`resume`), which books it again",
        ledger_->path().string(), task, nothing_done);
  }
}

ledger::Cap DeviceBooks::cap() const {
  const auto& policy = part_.policy;
  const bool pure = policy.all_tasks_delta == 0;
  return {.currency = pure ? ledger::Currency::pure : ledger::Currency::basic,
          .value = policy.all_tasks_epsilon,
          .delta = policy.all_tasks_delta};
}

void DeviceBooks::set_account() {
  const auto wanted = cap();
  const auto snapshot = ledger_->snapshot();
  const auto* account = snapshot.find(record_account);
  if (account == nullptr) {
    ledger_->enrol(
        {.data_set = record_account, .adjacency = privacy::Adjacency::replace_one, .cap = wanted});
    return;
  }
  if (account->cap().currency != wanted.currency) {
    throw base::BudgetError(
        "the device's account counts {}, which the policy's all_tasks_delta does not allow to go "
        "on: it was {} when the account was made; {}. Put it back, or begin with another folder "
        "and what is left of the budget",
        to_string(account->cap().currency), account->cap().delta == 0 ? "0" : "above 0",
        nothing_done);
  }
  if (account->cap() != wanted) {
    ledger_->set_cap(record_account, wanted, "the device's policy says so");
  }
}

std::vector<ledger::Run> DeviceBooks::runs() {
  auto all = ledger_->books().account(record_account).runs;
  std::erase_if(all, [this](const ledger::Run& run) {
    return run.booking.command != command() ||
           (run.state != ledger::RunState::reserved && run.state != ledger::RunState::committed);
  });
  return all;
}

void DeviceBooks::resolve_attempts() {
  for (const auto& run : runs()) {
    if (run.state == ledger::RunState::committed) refuse_second(folder_, part_.task.digest);
    if (run.booking.process == ledger::this_process()) {
      ledger_->adopt(run.number);  // nobody else works in the folder
      ledger_->cancel(run.number);
    } else {
      ledger_->resolve(run.number, "no report was stored for this task, so that none was sent");
    }
  }
  ledger::HeldMarks marks(record_.folder(), context_.cancel);
  check_follows(marks);  // before anybody is asked for a slot
}

privacy::Reservation DeviceBooks::reserve() {
  check_names();
  ledger::HeldMarks marks(record_.folder(), context_.cancel);
  check_mark(marks, nothing_done);
  check_follows(marks);
  auto reservation = budget_->reserve(part_.task.randomizer().event(), part_.task.plan.guarantee);
  try {
    follow(marks, nothing_done);
  } catch (...) {
    reservation.cancel();
    throw;
  }
  return reservation;
}

std::string DeviceBooks::fate() const {
  return fmt::format(
      "its report is stored in '{}' and is sent when the device takes part again: do not give the "
      "booking back",
      (folder_.path() / folder_.report_name(part_.task.digest)).string());
}

void DeviceBooks::book_report(std::string_view report) {
  const auto& task = part_.task;
  const auto remains = fmt::format(
      "this call has sent nothing; the report stays in '{}', and what was booked for it stays "
      "booked",
      folder_.path().string());
  ledger::HeldMarks marks(record_.folder(), context_.cancel);
  check_mark(marks, remains);
  const ledger::OutputRecord output{ledger::sha256(report), folder_.report_name(task.digest),
                                    fate()};
  const auto booked = runs();
  if (!folder_.may_have_sent(task.digest)) {
    const auto account = ledger_->snapshot().account(record_account);
    if (account.counted.total().value > account.cap().value) {
      throw base::BudgetError(
          "the policy allows all tasks together epsilon {}, and {} is spent; nothing was sent",
          account.cap().value, account.counted.total().value);
    }
  }
  const auto committed =
      std::ranges::find(booked, ledger::RunState::committed, &ledger::Run::state);
  if (committed != booked.end()) {
    check_paid(output, *committed);
    return follow(marks, remains);
  }
  auto run = booked.empty() ? 0 : booked.front().number;
  if (booked.empty()) {
    // It was given back, by hand or with an older ledger; what is sent is spent.
    run = ledger_->reserve({.data_set = record_account,
                            .command = command(),
                            .event = task.randomizer().event(),
                            .stated = task.plan.guarantee});
  } else {
    ledger_->adopt(run);
  }
  ledger_->commit(
      {{.run = run, .spent = task.randomizer().event(), .prg_slack = task.plan.prg_slack}}, output);
  follow(marks, remains);
}

void DeviceBooks::check_paid(const ledger::OutputRecord& output, const ledger::Run& run) const {
  if (run.outcome && run.outcome->output_sha256 == output.sha256) return;
  throw base::BudgetError(
      "'{}' in '{}' is not the report that was booked for task {}; this call has sent nothing. "
      "Put that one back",
      output.name, folder_.path().string(), part_.task.digest);
}

void DeviceBooks::refuse_second(const DeviceFolder& folder, const std::string& task) {
  throw base::BudgetError(
      "a report for task {} was drawn, but '{}' does not hold it; it may have been sent, and a "
      "second one is never drawn. Put {}.report back, or take part from the folder that drew it: "
      "devices that share books draw one",
      task, folder.path().string(), task);
}

}  // namespace tacet::local
