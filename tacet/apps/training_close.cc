#include "tacet/apps/training_close.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tacet/apps/coefficient_report.h"
#include "tacet/apps/ledger_report.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"

namespace tacet::apps {
namespace {

constexpr double usual_share = 0.5;  // epsilon of a first evaluation
constexpr double min_share = 0.01;   // below it noise would drown every figure
constexpr double usual_delta = 1e-6;

/// What the account has left; nothing where its ledger cannot be read any more.
std::optional<Balance> balance_of(const std::optional<run::AccountTerms>& terms) {
  if (!terms) return std::nullopt;
  try {
    ledger::Ledger ledger(terms->ledger, {.access = ledger::Access::read});
    const auto snapshot = ledger.snapshot();
    const auto& account = snapshot.account(terms->data_set);
    return Balance{account.cap(), account.counted.remaining(account.cap())};
  } catch (const base::Error&) {
    return std::nullopt;  // the model is written and paid for: this is a courtesy
  }
}

std::string budget_text(const std::optional<run::AccountTerms>& terms,
                        const std::optional<Balance>& balance) {
  if (!terms) {
    return "no ledger: nobody adds up what is spent on these records; `tacet ledger init` begins "
           "one";
  }
  if (!balance) return fmt::format("the ledger '{}' cannot be read now", terms->ledger.string());
  return fmt::format("{} left in the account '{}'", left_text(*balance), terms->data_set);
}

std::string accuracy_text(const model::ModelFile& file) {
  const bool number = file.model.task == model::PredictionTask::regression;
  return fmt::format(
      "not known: training releases no {}; the next command measures it on records "
      "that it did not see",
      number ? "error" : "accuracy");
}

/// The name of the file with the records that `tacet split` keeps back. TEST.csv stands for it if
/// the training file was not named by that command.
std::string test_file(const std::string& data) {
  constexpr std::string_view mark = "_train";
  const auto dot = data.rfind('.');
  const auto stem = data.substr(0, dot);
  if (dot == std::string::npos || !stem.ends_with(mark)) return "TEST.csv";
  return stem.substr(0, stem.size() - mark.size()) + "_test" + data.substr(dot);
}

/// The epsilon of an evaluation that the account can pay; nothing where it cannot.
std::optional<double> share_of(const std::optional<Balance>& balance) {
  if (!balance) return usual_share;
  const auto currency = balance->cap.currency;
  if (currency == ledger::Currency::pure) return std::nullopt;  // noisy figures need a delta
  if (currency != ledger::Currency::basic) return usual_share;
  if (!(balance->left.delta > 0)) return std::nullopt;
  const double share = std::min(usual_share, std::floor(balance->left.value * 100) / 100);
  return share < min_share ? std::nullopt : std::optional(share);
}

std::string next_text(const TrainingEnd& end, const std::optional<Balance>& balance) {
  const auto model = end.model.empty() ? std::string("MODEL") : shell_word(end.model);
  const auto test = shell_word(test_file(end.data));
  const auto& receipt = end.file.receipt;
  if (!receipt.is_protected()) return fmt::format("tacet evaluate {} {} --public", model, test);
  const auto share = share_of(balance);
  if (!share || (end.terms && !balance)) {
    return fmt::format("tacet predict {} NEW.csv > predictions.csv", model);
  }
  auto text = fmt::format("tacet evaluate {} {} --epsilon {:g}", model, test, *share);
  if (!end.terms) {
    const double delta = receipt.guarantee.delta;
    return text + fmt::format(" --delta {}", delta > 0 ? delta : usual_delta);
  }
  text += fmt::format(" --ledger {}", shell_word(end.terms->ledger.string()));
  return end.data_set.empty() ? text
                              : text + fmt::format(" --data-set {}", shell_word(end.data_set));
}

std::string line(std::string_view name, const std::string& text) {
  constexpr std::size_t width = 86;
  const std::string indent(10, ' ');
  return fmt::format("{:<10}{}\n", name, wrapped(text, width, indent));
}

}  // namespace

std::string closing_text(const TrainingEnd& end) {
  const auto balance = balance_of(end.terms);
  if (end.file.model.table) {
    // Its coefficients have intervals and tests above, and it predicts nothing.
    const auto model = end.model.empty() ? std::string("MODEL") : shell_word(end.model);
    return line("budget", budget_text(end.terms, balance)) +
           fmt::format("{:<10}tacet show {} --contrast \"NAME - NAME\"", "next", model);
  }
  auto out = line("signal", signal_text(end.file)) + line("accuracy", accuracy_text(end.file)) +
             line("budget", budget_text(end.terms, balance));
  return out + fmt::format("{:<10}{}", "next", next_text(end, balance));
}

}  // namespace tacet::apps
