#include "python/binding/budgets.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/binding/binding.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/event.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

nb::dict dict_of(const ledger::Amount& amount, const std::string& words) {
  nb::dict out;
  out["value"] = amount.value;
  out["delta"] = amount.delta;
  out["words"] = words;
  return out;
}

nb::dict spent_dict(const ledger::Amount& amount, const ledger::Cap& cap) {
  return dict_of(amount, ledger::spent_in_words(amount, cap));
}

nb::dict dict_of(const ledger::Run& run, const ledger::Cap& cap) {
  nb::dict out;
  out["run"] = run.number;
  out["command"] = run.booking.command;
  out["state"] = ledger::to_string(run.state);
  out["time"] = run.time;
  out["cost"] = spent_dict(run.counted(), cap);
  out["disclosed"] = run.disclosed;
  return out;
}

nb::dict dict_of(const ledger::Account& account) {
  const auto& cap = account.cap();
  const auto spent = account.counted();
  nb::dict out;
  out["data_set"] = account.name();
  out["aliases"] = nb::cast(account.aliases);
  out["adjacency"] = to_string(account.enrolled.adjacency);
  out["privacy_unit"] = account.enrolled.privacy_unit;
  out["currency"] = ledger::to_string(cap.currency);
  out["cap"] = dict_of(ledger::amount_of(cap), ledger::in_words(cap));
  out["spent"] = spent_dict(spent.total(), cap);
  const auto left = spent.remaining(cap);
  out["left"] = dict_of(left, ledger::left_in_words(left, cap));
  nb::list runs;
  for (const auto& run : account.runs) runs.append(dict_of(run, cap));
  out["runs"] = runs;
  return out;
}

nb::list accounts_of(const std::string& path) {
  ledger::Ledger ledger(path, {.access = ledger::Access::read});
  nb::list out;
  for (const auto& account : ledger.books().accounts) out.append(dict_of(account));
  return out;
}

/// A cap in the account's currency: the number itself, or the largest that promises a guarantee.
ledger::Cap cap_of(const std::string& currency, std::optional<double> cap,
                   std::optional<double> epsilon, double delta, double order) {
  const auto counted_in = ledger::parse_currency(currency);
  if (cap.has_value() == epsilon.has_value()) {
    throw base::UsageError("give one of cap and epsilon: the most that may be spent");
  }
  if (epsilon) {
    return ledger::cap_for(counted_in, privacy::Epsilon(*epsilon), privacy::Delta(delta), order);
  }
  return checked(
      ledger::Cap{.currency = counted_in, .value = *cap, .delta = delta, .order = order});
}

void enrol(const std::string& path, const std::string& data_set, const std::string& adjacency,
           const std::string& unit, const ledger::Cap& cap) {
  ledger::Ledger ledger(path);
  ledger.enrol({.data_set = data_set,
                .adjacency = privacy::parse_adjacency(adjacency),
                .privacy_unit = unit,
                .cap = cap,
                .fingerprints = {},
                .file = {}});
}

/// Books what others have released, of which the price alone is known. With `keep` false nothing
/// but whether it fits: BudgetError where it does not.
void spend(HeldBudget& held, double epsilon, double delta, bool keep) {
  held.check_process();
  const auto cost = checked(privacy::Guarantee{epsilon, delta, held.cap.adjacency});
  // As the decimals that were written: the double 0.1 is above a tenth.
  const privacy::ApproximateDp event{privacy::decimal_down(epsilon), privacy::decimal_down(delta),
                                     cost.adjacency};
  auto permit = held.budget.reserve(event, cost);
  if (!keep) permit.cancel();
}

/// The account of that name, or the only one.
void set_cap(const std::string& path, const std::string& data_set, std::optional<double> cap,
             std::optional<double> epsilon, double delta, const std::string& reason) {
  ledger::Ledger ledger(path);
  const auto snapshot = ledger.snapshot();
  const auto& account = data_set.empty() && snapshot.accounts.size() == 1
                            ? snapshot.accounts.front()
                            : snapshot.account(data_set);
  const auto& now = account.cap();
  ledger.set_cap(account.name(),
                 cap_of(ledger::to_string(now.currency), cap, epsilon, delta, now.order), reason);
}

}  // namespace

void bind_budgets(nb::module_& module) {
  nb::class_<HeldBudget>(module, "Budget")
      .def("__init__",
           [](HeldBudget* place, double epsilon, double delta, const std::string& adjacency) {
             new (place) HeldBudget(
                 checked(privacy::Guarantee{epsilon, delta, privacy::parse_adjacency(adjacency)}));
           })
      .def("spend", &spend, nb::arg("epsilon"), nb::arg("delta"), nb::arg("keep"))
      .def_prop_ro("spent", [](const HeldBudget& held) {
        const auto spent = held.budget.spent();
        return std::pair(spent.epsilon, spent.delta);
      });
  nb::class_<AccountPath>(module, "AccountPath").def(nb::init<std::string, std::string>());
  nb::class_<ledger::Cap>(module, "Cap");
  module.def("cap", &cap_of, nb::arg("currency"), nb::arg("cap").none(), nb::arg("epsilon").none(),
             nb::arg("delta"), nb::arg("order"));
  module.def("ledger_create", [](const std::string& path) { ledger::Ledger::create(path); });
  module.def("ledger_enrol", &enrol);
  module.def("ledger_accounts", &accounts_of);
  module.def("ledger_set_cap", &set_cap, nb::arg("path"), nb::arg("data_set"),
             nb::arg("cap").none(), nb::arg("epsilon").none(), nb::arg("delta"), nb::arg("reason"));
  module.def("ledger_verify", [](const std::string& path) {
    ledger::Ledger ledger(path, {.access = ledger::Access::read});
    const auto found = ledger.verify();
    return std::pair(found.rows, found.head);
  });
  module.def("ledger_resolve",
             [](const std::string& path, std::int64_t run, const std::string& attestation) {
               ledger::Ledger(path).resolve(run, attestation);
             });
}

}  // namespace tacet::python
