#include "python/binding/context.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/binding/binding.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/privacy/receipt.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// The account of that name or, where none is given, the only one.
std::string account_of(const AccountPath& ledger, const base::CancelToken* cancel) {
  const auto snapshot =
      ledger::Ledger(ledger.path, {.access = ledger::Access::read, .cancel = cancel}).snapshot();
  if (!ledger.data_set.empty()) return snapshot.account(ledger.data_set).name();
  if (snapshot.accounts.size() == 1) return snapshot.accounts.front().name();
  throw base::UsageError("the ledger has several accounts or none; name one with data_set");
}

}  // namespace

Payer::Payer(const Context& context) : seed_(context.seed) {
  if (nb::isinstance<HeldBudget>(context.payer)) budget_ = nb::cast<HeldBudget*>(context.payer);
  if (nb::isinstance<AccountPath>(context.payer)) {
    ledger_ = *nb::cast<const AccountPath*>(context.payer);
  }
  if (budget_ != nullptr) budget_->check_process();
}

run::Front Payer::in_memory(const base::CancelToken* cancel) {
  auto front = of_file(cancel);
  if (ledger_) front.account.data_set = account_of(*ledger_, cancel);
  return front;
}

run::Front Payer::of_file(const base::CancelToken* cancel) {
  run::Front front{.account = {},
                   .warn = [this](std::string_view line) { warnings_.emplace_back(line); },
                   .cancel = cancel};
  if (budget_ != nullptr) front.budget = &budget_->budget;
  if (ledger_) front.account = {.ledger = ledger_->path, .data_set = ledger_->data_set};
  return front;
}

std::unique_ptr<random::Source> Payer::source() const {
  if (!seed_) return random::SecureSource::create();
  return std::make_unique<random::SeededSource>(*seed_);
}

std::string Payer::unprotected_reason() const { return seed_ ? "noise from a known seed" : ""; }

void Payer::tell() const noexcept {
  if (warnings_.empty()) return;
  const nb::error_scope others;  // an error that is on its way stays as it is
  try {
    const auto kind = nb::module_::import_("tacet.errors").attr("PrivacyWarning");
    for (const auto& line : warnings_) {
      if (PyErr_WarnEx(kind.ptr(), spelled(line).c_str(), 1) != 0) {
        nb::python_error().discard_as_unraisable("tacet");
      }
    }
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("tacet");
  }
}

void bind_context(nb::module_& module) {
  nb::class_<privacy::ReceiptNotes>(module, "Notes")
      .def(nb::init<std::string, std::string, std::string, std::string, std::string>(),
           nb::arg("data_set"), nb::arg("purpose"), nb::arg("contact"), nb::arg("date"),
           nb::arg("schema_sha256"));
  nb::class_<Context>(module, "Context")
      .def(nb::init<>())
      .def_rw("payer", &Context::payer)
      .def_rw("seed", &Context::seed)
      .def_rw("threads", &Context::threads)
      .def_rw("notes", &Context::notes)
      .def_rw("spool", &Context::spool);
}

}  // namespace tacet::python
