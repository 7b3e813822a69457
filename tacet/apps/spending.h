#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/error.h"
#include "tacet/random/source/source.h"
#include "tacet/run/spend.h"
#include "tacet/run/terms.h"

namespace tacet::apps {

/// What the user said of a guarantee, and what holds where nothing was said: the account's own
/// choice where one pays, else the command's.
struct GuaranteeChoice {
  std::string adjacency;               ///< --adjacency as given; empty: not
  privacy::Adjacency usual_adjacency;  ///< of the command
  std::string delta = {};              ///< --delta as given; empty: not
  std::optional<double> usual_delta = {};
};

/// The options that every command has which spends privacy.
class SpendingOptions {
 public:
  void declare(Options& options);
  /// The option --attested-look, of the two commands that show exact figures to the owner.
  void declare_look(Options& options);
  /// The account chosen, and this terminal. Must not outlive `console`.
  [[nodiscard]] run::Front front(const Console& console, const base::CancelToken& cancel) const;
  /// The terms of the account that will pay for a use of `data`; nothing where none does. Errors as
  /// run::find_account.
  [[nodiscard]] std::optional<run::AccountTerms> terms(const Console& console,
                                                       const base::CancelToken& cancel,
                                                       const std::string& data) const;
  /// Whether --ledger was given.
  [[nodiscard]] bool names_a_ledger() const { return !account_.ledger.empty(); }
  /// --data-set as it was given.
  [[nodiscard]] const std::string& data_set() const { return account_.data_set; }

 private:
  run::AccountChoice account_;
};

/// The adjacency of a choice.
[[nodiscard]] privacy::Adjacency chosen_adjacency(const GuaranteeChoice& choice,
                                                  const std::optional<run::AccountTerms>& terms);
/// The delta of a choice; a person is told where the account made it. UsageError where it is needed
/// and nothing says what it is.
[[nodiscard]] std::optional<double> chosen_delta(const GuaranteeChoice& choice,
                                                 const std::optional<run::AccountTerms>& terms,
                                                 const Console& console);

/// How data that have an account get another one that takes a run, in words for a person.
/// `terms` are those that it needs, as options of `tacet ledger init`.
[[nodiscard]] std::string other_account(std::string_view terms);

/// A GuaranteeError with the terms of the account that pays, and with a way that fits them.
[[noreturn]] void refuse_in_account(const base::GuaranteeError& error,
                                    const run::AccountTerms& terms, std::string_view way);

/// Does what may have no proof under the terms of the account; `way` tells what has.
template <typename Body>
auto in_account(const std::optional<run::AccountTerms>& terms, std::string_view way,
                const Body& body) {
  try {
    return body();
  } catch (const base::GuaranteeError& error) {
    if (!terms || terms->past_the_cap) throw;
    refuse_in_account(error, *terms, way);
  }
}

/// Standard output as the place of a result. An IoError at once when nothing can go there.
class ConsoleOutput : public run::Output {
 public:
  explicit ConsoleOutput(const Console& console, std::string name = "standard output")
      : console_(console), name_(std::move(name)) {
    check_results();
  }

  [[nodiscard]] std::string name() const override { return name_; }
  void write(std::string_view piece) override { text_ += piece; }
  void appear() override;

 private:
  const Console& console_;
  std::string name_;
  std::string text_;
};

/// The options --output and --force of commands that print without them.
class OutputOptions {
 public:
  void declare(Options& options);
  /// Declares the options of commands that release a result. Their JSON contains the receipt.
  void declare_result(Options& options);
  /// Whether the result is written as JSON: on demand, or since the name of its file says so.
  [[nodiscard]] bool json(const Console& console) const {
    return console.json() || file().ends_with(".json");
  }
  /// Opened before anything is booked: an output that cannot be written must cost nothing.
  [[nodiscard]] std::unique_ptr<run::Output> open(const Console& console) const;
  /// The file to write; empty: standard output, for which - stands too.
  [[nodiscard]] std::string file() const { return path_ == "-" ? std::string() : path_; }
  /// Whether --force was given: for every file that the command writes.
  [[nodiscard]] base::Overwrite overwrite() const {
    return force_ ? base::Overwrite::allow : base::Overwrite::refuse;
  }

 private:
  std::string path_;
  bool force_ = false;
};

/// The option --seed of commands that draw noise.
class SeedOption {
 public:
  void declare(Options& options);
  /// Secure noise, or noise from the number given.
  [[nodiscard]] std::unique_ptr<random::Source> source() const;
  /// Tells a person that seeded noise protects nobody.
  void warn(const Console& console) const;
  /// What the ledger keeps of that; empty: the noise is secure.
  [[nodiscard]] std::string unprotected_reason() const;

 private:
  std::string seed_;
};

using run::unprotected_use;

}  // namespace tacet::apps
