#include "tacet/privacy/statement.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "tacet/base/text.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::privacy {
namespace {

// How a receipt names the sampling if each record's own device randomises it.
constexpr std::string_view local_sampling = "local";

std::string unit_in_words(const std::string& unit) {
  if (unit == "record") return "one record";
  return fmt::format("all records that share one value of '{}'", base::printable(unit));
}

/// e^epsilon, or the number of its digits where a double would overflow.
std::string factor_in_words(double epsilon) {
  constexpr double log_10 = 2.30258509299404568402;
  if (epsilon < 700) {
    return fmt::format("e^{} = {}", rounded_up(epsilon, 4),
                       rounded_up(std::exp(epsilon) * (1 + 1e-15), 4));
  }
  return fmt::format("e^{} (a number of {:.4g} digits: in practice no protection at all)",
                     rounded_up(epsilon, 4), std::floor(epsilon / log_10) + 1);
}

std::string neighbours_in_words(const Promise& promise) {
  const auto subject = unit_in_words(promise.privacy_unit);
  switch (promise.guarantee.adjacency) {
    case Adjacency::add_remove:
      return fmt::format("whether {} took part at all ({})", subject,
                         promise.public_row_count
                             ? fmt::format("{} is declared as the public number of records",
                                           *promise.public_row_count)
                             : std::string("the number of records is kept secret too"));
    case Adjacency::zero_out:
      return fmt::format(
          "whether {} counted or was replaced by an empty one (the number of records is public)",
          subject);
    case Adjacency::replace_one:
      return fmt::format("what {} said (the number of records is public, and so is taking part)",
                         subject);
  }
  return {};
}

/// Where the cipher's share is counted: in delta, or beside a pure guarantee.
std::string cipher_in_words(const Promise& promise) {
  const auto share = rounded_up(prg_share(promise.guarantee.epsilon, promise.prg_slack), 3);
  if (promise.guarantee.delta > 0) {
    return fmt::format("What noise from the cipher adds, {}, is part of that. ", share);
  }
  return fmt::format("That is for ideal noise; noise from the cipher adds {} to delta 0. ", share);
}

bool promises_nothing(const Guarantee& guarantee) {
  return std::isinf(guarantee.epsilon) || guarantee.delta >= 1;
}

constexpr std::string_view no_promise =
    "No privacy is protected: the noise promises nothing at this delta.";

Promise promise_of(const Receipt& receipt) {
  return {.guarantee = receipt.guarantee,
          .privacy_unit = receipt.privacy_unit,
          .prg_slack = receipt.prg_slack,
          .public_row_count = receipt.public_row_count};
}

}  // namespace

std::string statement(const Promise& promise) {
  const auto& guarantee = promise.guarantee;
  if (promises_nothing(guarantee)) return std::string(no_promise);
  auto text = fmt::format(
      "({}, {})-differential privacy under {} neighbours. Someone who sees the result and knows "
      "everything else cannot tell {} much better than before: the probability of any conclusion "
      "is at most {} times what it would be otherwise",
      rounded_up(guarantee.epsilon, 6), rounded_up(guarantee.delta, 6),
      to_string(guarantee.adjacency), neighbours_in_words(promise),
      factor_in_words(guarantee.epsilon));
  text += guarantee.delta > 0 ? fmt::format(", plus {}. ", rounded_up(guarantee.delta, 6))
                              : std::string(", with nothing added. ");
  if (promise.prg_slack > 0) text += cipher_in_words(promise);
  text +=
      "Two such results together cost the sum of both epsilons and both deltas. It holds against "
      "anyone who cannot break the stream cipher that the noise is drawn from; it does not cover "
      "what running time or memory reveal, nor what the data's owner publishes elsewhere.";
  return text;
}

std::string statement(const Receipt& receipt) {
  if (!receipt.is_protected()) {
    return fmt::format("UNPROTECTED: {}. This result promises no privacy at all.",
                       base::printable(receipt.unprotected_reason));
  }
  auto text = statement(promise_of(receipt));
  if (receipt.sampling == local_sampling) {
    text +=
        " Each person's own report was made private before it left the device: the same holds "
        "against whoever reads that report, the server too.";
  }
  if (!receipt.notes.condition.empty()) text += " " + base::printable(receipt.notes.condition);
  return text;
}

std::string short_statement(const Promise& promise) {
  const auto& guarantee = promise.guarantee;
  if (promises_nothing(guarantee)) return std::string(no_promise);
  auto text = fmt::format("({}, {})-differential privacy under {} neighbours, for {}\n",
                          rounded_up(guarantee.epsilon, 6), rounded_up(guarantee.delta, 6),
                          to_string(guarantee.adjacency), unit_in_words(promise.privacy_unit));
  text += fmt::format("It changes the probability of any conclusion by a factor of at most {}",
                      factor_in_words(guarantee.epsilon));
  if (guarantee.delta > 0) {
    return text + fmt::format(", plus {}", rounded_up(guarantee.delta, 6));
  }
  if (promise.prg_slack <= 0) return text;
  return text + fmt::format(" (for ideal noise; the cipher adds {} to delta 0)",
                            rounded_up(prg_share(guarantee.epsilon, promise.prg_slack), 3));
}

std::string short_statement(const Receipt& receipt) {
  auto text = short_statement(promise_of(receipt));
  if (receipt.sampling == local_sampling) {
    text += "\nIt holds for each person's own report, against whoever reads it, the server too";
  }
  return text;
}

}  // namespace tacet::privacy
