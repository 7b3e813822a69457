#include "tacet/local/device/device_books.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/process.h"

namespace tacet::local {
namespace {

constexpr const char* record_account = "record";

}  // namespace

DeviceBooks::DeviceBooks(const DeviceFolder& folder, const Participation& part,
                         const DeviceContext& context)
    : folder_(folder), part_(part), cancel_(context.cancel) {
  open(context);
  budget_.emplace(*ledger_, ledger::RunDetails{
                                .data_set = record_account, .command = command(), .fate = fate()});
}

void DeviceBooks::find_record() {
  std::error_code error;
  record_ = std::filesystem::canonical(part_.record, error);
  if (error) {
    throw base::IoError("cannot read '{}': {}; nothing was spent", part_.record.string(),
                        error.message());
  }
  const auto names = std::filesystem::hard_link_count(record_, error);
  if (!error && names > 1) {
    throw base::BudgetError(
        "the record '{}' has {} names (hard links), and what was spent on it stands beside one of "
        "them only; nothing was sent and nothing was spent. Keep one name",
        part_.record.string(), names);
  }
}

std::filesystem::path DeviceBooks::find_books() {
  if (part_.policy.books.empty()) return folder_.ledger();
  const auto place = std::filesystem::weakly_canonical(part_.policy.books);
  const auto holds = [&](const std::filesystem::path& other) {
    const auto outer = std::filesystem::canonical(other);
    return std::ranges::mismatch(outer, place).in1 == outer.end();
  };
  if (holds(record_.parent_path()) || holds(folder_.path())) {
    throw base::BudgetError(
        "the policy's folder for books, '{}', lies in the record's folder or in the device's, so "
        "that it could go with them; nothing was sent and nothing was spent. Name another place",
        part_.policy.books.string());
  }
  books_.emplace(place, cancel_);
  return books_->ledger();
}

void DeviceBooks::open(const DeviceContext& context) {
  find_record();
  const auto path = find_books();
  ledger::HeldMarks marks(record_.parent_path(), cancel_);
  const auto mark = marks.find(record_.filename().string());
  std::error_code error;
  if (!std::filesystem::exists(path, error) && (mark || !folder_.tasks().empty())) {
    const auto was = mark ? ledger::ledger_path(record_.parent_path(), *mark).string() : "";
    throw base::BudgetError(
        "'{}' is missing, which says what was spent on '{}'{}; nothing was sent. Give the folder "
        "that has it, or put it back",
        path.string(), part_.record.string(), mark ? fmt::format(" (it was '{}')", was) : "");
  }
  ledger::Ledger::ensure(path);
  ledger_.emplace(path, ledger::OpenOptions{.cancel = cancel_});
  if (mark) check_mark(marks);
  check_folder();
  set_account();
  if (!mark) set_mark(marks, context);
}

void DeviceBooks::check_mark(const ledger::HeldMarks& marks) {
  const auto mark = marks.find(record_.filename().string());
  if (!mark) {
    throw base::BudgetError(
        "the mark beside '{}', which says where it stands what was spent on it, is gone since this "
        "device began; nothing was sent and nothing was spent. Start it again",
        part_.record.string());
  }
  if (mark->ledger_name != ledger_->snapshot().ledger) {
    throw base::BudgetError(
        "what was spent on '{}' stands in the ledger '{}', which is another one than '{}'; nothing "
        "was sent and nothing was spent",
        part_.record.string(), ledger::ledger_path(record_.parent_path(), *mark).string(),
        ledger_->path().string());
  }
  ledger::check_continues(*mark, *ledger_);
}

void DeviceBooks::set_mark(ledger::HeldMarks& marks, const DeviceContext& context) {
  const auto folder = record_.parent_path();
  try {
    marks.put({record_.filename().string(), record_account,
               ledger::path_for_mark(folder, ledger_->path()), ledger_->snapshot().ledger,
               ledger_->position()});
  } catch (const base::IoError& failure) {
    if (!books_) {
      throw base::BudgetError(
          "the record cannot be marked, so that a second folder for it would be a second budget: "
          "{}; nothing was sent and nothing was spent. Keep it in a folder that takes files, or "
          "name a place for the books in the policy (books = FOLDER)",
          failure.what());
    }
    marked_ = false;
    if (!context.say) return;
    context.say(fmt::format(
        "the record could not be marked; what is spent stands in the policy's folder alone: {}",
        failure.what()));
  }
}

/// Every report that was drawn here is paid for: no older state of the ledger took its place.
void DeviceBooks::check_folder() {
  const auto snapshot = ledger_->snapshot();
  const auto* account = snapshot.find(record_account);
  for (const auto& task : folder_.tasks()) {
    if (task == part_.task.digest) continue;  // settled by what follows
    const auto command = "join " + task;
    if (account != nullptr && account->commands.contains(command) &&
        account->commands.at(command) > 0) {
      continue;
    }
    throw base::BudgetError(
        "the ledger '{}' does not hold what the report for task {} has cost; nothing was sent. Put "
        "the ledger back that does, or go on with that task first (`resume`), which books it again",
        ledger_->path().string(), task);
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
        "on: it was {} when the account was made; nothing was spent. Put it back, or begin with "
        "another folder and what is left of the budget",
        to_string(account->cap().currency), account->cap().delta == 0 ? "0" : "above 0");
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
}

privacy::Reservation DeviceBooks::reserve() {
  ledger::HeldMarks marks(record_.parent_path(), cancel_);
  if (marked_) check_mark(marks);
  auto reservation = budget_->reserve(part_.task.randomizer().event(), part_.task.plan.guarantee);
  marks.advance(*ledger_);
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
  ledger::HeldMarks marks(record_.parent_path(), cancel_);
  if (marked_) check_mark(marks);
  const ledger::Output output{ledger::sha256(report), folder_.report_name(task.digest), fate()};
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
  if (committed != booked.end()) return check_paid(output, *committed);
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
  marks.advance(*ledger_);
}

void DeviceBooks::check_paid(const ledger::Output& output, const ledger::Run& run) const {
  if (run.outcome && run.outcome->output_sha256 == output.sha256) return;
  throw base::BudgetError(
      "'{}' in '{}' is not the report that was booked for task {}; nothing was sent. Put that one "
      "back",
      output.name, folder_.path().string(), part_.task.digest);
}

void DeviceBooks::refuse_second(const DeviceFolder& folder, const std::string& task) {
  throw base::BudgetError(
      "a report for task {} was drawn, but '{}' holds it no more; it may have been sent, and a "
      "second one is never drawn. Put {}.report back",
      task, folder.path().string(), task);
}

}  // namespace tacet::local
