#pragma once

#include "tacet/privacy/budget.h"
#include "tacet/run/front.h"
#include "tacet/run/output.h"
#include "tacet/run/payment.h"

namespace tacet::run {

/// The one order in which private records are used, whoever asks for it:
///
///   run::FileOutput output("model.json", base::Overwrite::refuse);
///   run::spend(expense, front, output,
///              [&](data::ByteObserver* seen) {
///                return data::read_dataset(
///                    file, schema, {.passes = data::Passes::once, .observers = {seen}});
///              },
///              [&](const data::Dataset& data, privacy::Reservation& reservation,
///                  run::Pieces& result) {
///                ...compute from `data`, each release debiting `reservation`...
///                result.write(text);
///                return prg_slack;  // the PRG slack of the noise in it
///              });
///
/// `use` may take the records as its own (`data::Dataset&`): nobody reads them after it.
///
/// Whatever throws before `read` has returned leaves nothing spent but what the schema's fit had
/// cost before; whatever throws later leaves the expense spent in full and shows no output.
template <typename Read, typename Use>
void spend(const Expense& expense, const Front& front, Output& output, const Read& read,
           const Use& use) {
  check_output(output.name(), expense);
  Payment payment(expense, front);  // finds the account
  payment.book_schema();
  auto reservation = payment.reserve();  // before a value is read
  auto records = payment.read(reservation, read);
  Pieces result(output);
  const double prg_slack = use(records, reservation, result);  // runs and writes
  if (!reservation.committed()) reservation.commit();
  payment.release(result.sha256(), output.name(), prg_slack);
  output.appear();
}

}  // namespace tacet::run
