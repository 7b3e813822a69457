#pragma once

#include <string>
#include <string_view>

#include "tacet/privacy/event.h"
#include "tacet/privacy/exact_cost.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::ledger {

/// The currency of an account. Each one is a privacy filter: as long as the sum stays within the
/// cap, all runs together have the cap's guarantee, even if runs were chosen from the results of
/// earlier ones.
enum class Currency {
  zcdp,  ///< sum of rho (Feldman, Zrnic 2021; Whitehouse et al. 2023)
  gdp,   ///< sum of mu^2 (Koskela, Tobaben, Honkela 2023; Smith, Thakurta 2022)
  rdp,   ///< sum of Renyi bounds at one order, chosen with the cap (Feldman, Zrnic 2021)
  pure,  ///< sum of epsilon
  basic  ///< sum of epsilon and sum of delta
};

/// "zcdp", "gdp", "rdp", "pure" or "basic".
[[nodiscard]] std::string to_string(Currency currency);
/// The inverse; anything else is a UsageError that lists the names.
[[nodiscard]] Currency parse_currency(std::string_view name);

/// How much may be spent: rho, mu, the Renyi bound at `order`, or epsilon. Epsilons and deltas are
/// the decimals that their owner wrote.
struct Cap {
  Currency currency = Currency::basic;
  double value = 0;
  double delta = 0;  ///< basic only
  double order = 0;  ///< rdp only; above 1
  friend bool operator==(const Cap&, const Cap&) = default;
};

/// The cap after a check of its ranges; a violation is a UsageError.
[[nodiscard]] Cap checked(const Cap& cap);

/// The largest cap that promises (epsilon, delta), rounded down. `order` matters for rdp only.
/// UsageError if there is no such cap.
[[nodiscard]] Cap cap_for(Currency currency, privacy::Epsilon epsilon, privacy::Delta delta,
                          double order);

/// "rho 0.5", "mu 1", "bound 2 at order 8", "epsilon 1", "epsilon 1, delta 1e-06".
[[nodiscard]] std::string in_words(const Cap& cap);

/// The cost of a run in the currency of an account: rho, mu^2, the Renyi bound, or epsilon. Only
/// basic accounts have deltas.
using privacy::Amount;

/// The proved cost of `event` between neighbours of `adjacency` in the cap's currency, rounded up:
/// what an accounting::Filter of that currency would book. `stated` is the guarantee the run asked
/// for; a basic account books its delta, and the larger of its epsilon and the proved one.
/// GuaranteeError if the currency has no proved cost.
[[nodiscard]] Amount cost_of(const privacy::Event& event, privacy::Adjacency adjacency,
                             const Cap& cap, const privacy::Guarantee& stated);

/// Amounts of one currency, added exactly. Not for several threads at once.
class Tally {
 public:
  void add(const Amount& amount) { cost_.add(amount); }
  /// Subtracts an amount that was added before.
  void subtract(const Amount& amount) { cost_.subtract(amount); }
  /// Whether the exact sum is at most the cap.
  [[nodiscard]] bool within(const Cap& cap) const;
  /// The sum, as exact decimals if they are short, else rounded up.
  [[nodiscard]] Amount total() const { return cost_.rounded_up(); }
  /// What is left of the cap, as exact decimals if they are short, else rounded down.
  [[nodiscard]] Amount remaining(const Cap& cap) const;
  [[nodiscard]] bool infinite() const { return cost_.infinite(); }

  /// Exact, for files: two sums.
  [[nodiscard]] std::string text() const { return cost_.text(); }
  [[nodiscard]] static Tally from_text(std::string_view text) {
    Tally tally;
    tally.cost_ = privacy::ExactCost::from_text(text);
    return tally;
  }
  friend bool operator==(const Tally&, const Tally&) = default;

 private:
  privacy::ExactCost cost_;
};

/// The whole cap as an amount, rounded up.
[[nodiscard]] Amount amount_of(const Cap& cap);

/// The epsilon at `delta` that `amount` promises, rounded up; infinity if it promises none.
[[nodiscard]] double epsilon_at(const Amount& amount, const Cap& cap, privacy::Delta delta);

/// The amount for people, rounded up to six digits: "rho 0.25", "mu 0.5 (mu^2 0.25)", "epsilon 1,
/// delta 1e-06".
[[nodiscard]] std::string spent_in_words(const Amount& amount, const Cap& cap);
/// What is left, rounded down to six digits. What roundings leave of a budget that is used up
/// counts as nothing.
[[nodiscard]] std::string left_in_words(const Amount& amount, const Cap& cap);

}  // namespace tacet::ledger
