#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/text_table.h"
#include "tacet/base/error.h"
#include "tacet/privacy/composition.h"
#include "tacet/privacy/gaussian.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view examples =
    "  tacet account --mechanism gaussian --noise-multiplier 5 --steps 10 --delta 1e-5\n"
    "      the epsilon that ten releases with noise of 5 times the bound of a record cost\n"
    "  tacet account --mechanism gaussian --sigma 12 --sensitivity 3 --epsilon 1\n"
    "      the delta of one release at epsilon 1\n"
    "  tacet account --mechanism gaussian --target-epsilon 1 --delta 1e-5 --steps 300\n"
    "      the noise that 300 releases need\n"
    "  tacet account first.json second.json --delta 1e-5\n"
    "      what two models trained on the same records cost together\n"
    "\n"
    "Exactly one of --delta (prints epsilon) and --epsilon (prints delta) goes with a given "
    "noise.\n"
    "The cipher's own term, which receipts carry, is not part of these numbers.\n";

constexpr std::string_view without_cipher =
    "The cipher's own term, which receipts carry, is not included.";

/// What the command was asked and what it found; `found` names the entry that was computed.
struct Account {
  double noise_multiplier = 0;
  double epsilon = 0;
  double delta = 0;
  std::string found;
};

class AccountCommand : public Command {
 public:
  void declare(CLI::App& program) override {
    auto& app =
        add(program, "account", "Compute what noise costs, or the noise a cost needs", examples);
    app.add_option("files", files_, "Model files, receipts or events (JSON) to add up instead")
        ->type_name("FILE");
    app.add_option("--mechanism", mechanism_, "Which noise: gaussian");
    auto* multiplier = app.add_option("--noise-multiplier", noise_multiplier_,
                                      "Standard deviation over the bound of one record")
                           ->type_name("NUMBER");
    auto* sigma = app.add_option("--sigma", sigma_, "Standard deviation; with --sensitivity")
                      ->excludes(multiplier);
    app.add_option("--sensitivity", sensitivity_,
                   "Bound of one record's contribution (L2 norm), for --sigma [1]")
        ->type_name("NUMBER")
        ->needs(sigma);
    app.add_option("--steps", steps_, "How often noise is added, at least 1 [1]")
        ->type_name("NUMBER");
    app.add_option("--adjacency", adjacency_,
                   "Neighbours: add_remove, zero_out or replace_one [of the files, or add_remove]");
    auto* target =
        app.add_option("--target-epsilon", target_epsilon_, "Find noise for this epsilon")
            ->type_name("NUMBER")
            ->excludes(multiplier)
            ->excludes(sigma);
    app.add_option("--epsilon", epsilon_, "Find delta at this epsilon")
        ->type_name("NUMBER")
        ->excludes(target);
    app.add_option("--delta", delta_, "Find epsilon at this delta, 0 for pure privacy")
        ->type_name("NUMBER");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    if (!files_.empty()) {
      run_on_files(console);
      return;
    }
    if (mechanism_.empty()) {
      throw base::UsageError("nothing to account for: name files, or give --mechanism gaussian");
    }
    if (mechanism_ != "gaussian") {
      throw base::UsageError(fmt::format("--mechanism must be gaussian, got '{}'", mechanism_));
    }
    const auto adjacency =
        adjacency_.empty() ? privacy::Adjacency::add_remove : privacy::parse_adjacency(adjacency_);
    const auto steps = integer_option("--steps", steps_, "a whole number of at least 1");
    if (steps < 1) throw base::UsageError(fmt::format("--steps must be at least 1, got {}", steps));
    const auto account = target_epsilon_.empty() ? cost(adjacency, steps) : noise(adjacency, steps);
    print(console, account, adjacency, steps);
  }

 private:
  /// Everything in the files together, accounted as one composition.
  void run_on_files(const Console& console) const {
    if (!mechanism_.empty() || !epsilon_.empty()) {
      throw base::UsageError("files go with --delta and --adjacency only");
    }
    const auto cost = read_costs(files_);
    if (!cost.unprotected_reason.empty()) {
      console.warn(fmt::format("PRIVACY: NONE ({}){}", cost.unprotected_reason,
                               cost.unbounded ? ""
                                              : "; what follows is what the noise would cost if it "
                                                "were secret"));
    }
    const auto adjacency = adjacency_.empty()
                               ? cost.adjacency.value_or(privacy::Adjacency::add_remove)
                               : privacy::parse_adjacency(adjacency_);
    if (delta_.empty() && !cost.delta) {
      throw base::UsageError("--delta is missing: events do not say at which delta to account");
    }
    const privacy::Delta delta(
        delta_.empty() ? *cost.delta
                       : number_option("--delta", delta_, "a number from 0 to below 1"));
    auto total = privacy::account(cost.event, adjacency, delta);
    if (cost.unbounded) total.epsilon = std::numeric_limits<double>::infinity();
    print_total(console, total);
  }

  void print_total(const Console& console, const privacy::Guarantee& total) const {
    if (console.json()) {
      ordered_json out;
      out["files"] = files_;
      out["adjacency"] = to_string(total.adjacency);
      out["epsilon"] = json_number(total.epsilon);
      out["delta"] = total.delta;
      console.result(out.dump(1) + "\n");
      return;
    }
    TextTable table({"files", fmt::format("{}", files_.size())});
    table.add({"adjacency", to_string(total.adjacency)});
    table.add({"epsilon", fmt::format("{}", total.epsilon)});
    table.add({"delta", fmt::format("{}", total.delta)});
    console.result(table.text());
    console.say(without_cipher);
  }

  [[nodiscard]] double given_noise() const {
    if (!noise_multiplier_.empty()) {
      return number_option("--noise-multiplier", noise_multiplier_, "a number of at least 0");
    }
    if (sigma_.empty()) {
      throw base::UsageError(
          "the noise is missing: give --noise-multiplier, or --sigma, or --target-epsilon to find "
          "it");
    }
    const double sigma = number_option("--sigma", sigma_, "a number of at least 0");
    const double bound = number_option("--sensitivity", sensitivity_, "a number above 0");
    if (!(bound > 0 && std::isfinite(bound))) {
      throw base::UsageError(fmt::format("--sensitivity must be above 0, got {}", bound));
    }
    const double quotient = sigma / bound;
    // Down, where the division rounded up: less noise is the safe side.
    return std::fma(quotient, bound, -sigma) > 0 ? std::nextafter(quotient, 0.0) : quotient;
  }

  [[nodiscard]] Account cost(privacy::Adjacency adjacency, std::int64_t steps) const {
    if (epsilon_.empty() == delta_.empty()) {
      throw base::UsageError("give one of --delta (to find epsilon) and --epsilon (to find delta)");
    }
    Account account;
    account.noise_multiplier = privacy::NoiseMultiplier(given_noise()).value();
    if (!delta_.empty()) {
      const privacy::Delta delta(number_option("--delta", delta_, "a number from 0 to below 1"));
      const privacy::Event one = privacy::Gaussian{account.noise_multiplier};
      account.delta = delta.value();
      account.epsilon = privacy::epsilon(privacy::Repeated{steps, one}, adjacency, delta);
      account.found = "epsilon";
      return account;
    }
    const privacy::Epsilon epsilon(number_option("--epsilon", epsilon_, "a number of at least 0"));
    account.epsilon = epsilon.value();
    account.delta = delta_at(account, adjacency, steps);
    account.found = "delta";
    return account;
  }

  /// Rounded up by the formula's error bound.
  [[nodiscard]] static double delta_at(const Account& account, privacy::Adjacency adjacency,
                                       std::int64_t steps) {
    if (account.epsilon == std::numeric_limits<double>::infinity()) return 0;
    if (account.noise_multiplier == 0) return 1;
    const double distance = privacy::distance_factor(adjacency) / account.noise_multiplier;
    const double mu = privacy::gaussian::compose(
        std::nextafter(distance, std::numeric_limits<double>::infinity()), steps);
    const double delta = privacy::gaussian::delta(mu, account.epsilon);
    return std::min(1.0, delta * (1 + privacy::gaussian::relative_error(mu, account.epsilon)));
  }

  [[nodiscard]] Account noise(privacy::Adjacency adjacency, std::int64_t steps) const {
    if (delta_.empty()) throw base::UsageError("--target-epsilon needs --delta");
    const privacy::Epsilon epsilon(
        number_option("--target-epsilon", target_epsilon_, "a number above 0"));
    const privacy::Delta delta(number_option("--delta", delta_, "a number from 0 to below 1"));
    // T uses at mu cost one at mu sqrt(T): the composed query has sensitivity factor * sqrt(T).
    const double distance = privacy::gaussian::compose(privacy::distance_factor(adjacency), steps);
    Account account{.noise_multiplier = privacy::gaussian::sigma_for(distance, epsilon, delta),
                    .epsilon = epsilon.value(),
                    .delta = delta.value(),
                    .found = "noise_multiplier"};
    if (!std::isfinite(account.noise_multiplier)) {
      throw base::GuaranteeError(
          fmt::format("no Gaussian noise gives epsilon {} at delta {}; allow a delta above 0",
                      epsilon.value(), delta.value()));
    }
    return account;
  }

  void print(const Console& console, const Account& account, privacy::Adjacency adjacency,
             std::int64_t steps) const {
    if (console.json()) {
      ordered_json out;
      out["mechanism"] = mechanism_;
      out["noise_multiplier"] = json_number(account.noise_multiplier);
      out["steps"] = steps;
      out["adjacency"] = to_string(adjacency);
      out["epsilon"] = json_number(account.epsilon);
      out["delta"] = json_number(account.delta);
      out["found"] = account.found;
      console.result(out.dump(1) + "\n");
      return;
    }
    TextTable table({"mechanism", mechanism_});
    const auto line = [&](const std::string& name, double value) {
      table.add({name, fmt::format("{}", value) + (name == account.found ? "  <-" : "    ")});
    };
    line("noise_multiplier", account.noise_multiplier);
    table.add({"steps", fmt::format("{}    ", steps)});
    table.add({"adjacency", to_string(adjacency) + "    "});
    line("epsilon", account.epsilon);
    line("delta", account.delta);
    console.result(table.text());
    console.say(without_cipher);
  }

  std::vector<std::string> files_;
  std::string mechanism_;
  std::string noise_multiplier_;
  std::string sigma_;
  std::string sensitivity_ = "1";
  std::string steps_ = "1";
  std::string adjacency_;
  std::string target_epsilon_;
  std::string epsilon_;
  std::string delta_;
};

}  // namespace

std::unique_ptr<Command> make_account() { return std::make_unique<AccountCommand>(); }

}  // namespace tacet::apps
