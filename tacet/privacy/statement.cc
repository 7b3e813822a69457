#include "tacet/privacy/statement.h"

#include <fmt/format.h>

#include <cmath>

namespace tacet::privacy {
namespace {

std::string unit_in_words(const std::string& unit) {
  if (unit == "record") return "one record";
  return fmt::format("all records that share one value of '{}'", unit);
}

/// e^epsilon, also where it is no number any more.
std::string factor_in_words(double epsilon) {
  constexpr double log_10 = 2.30258509299404568402;
  if (epsilon < 700) return fmt::format("e^{:.4g} = {:.4g}", epsilon, std::exp(epsilon));
  return fmt::format("e^{0:.4g} (a number of {1:.4g} digits: in practice no protection at all)",
                     epsilon, std::floor(epsilon / log_10) + 1);
}

std::string neighbours_in_words(Adjacency adjacency, const std::string& unit) {
  const auto subject = unit_in_words(unit);
  switch (adjacency) {
    case Adjacency::add_remove:
      return fmt::format("whether {} took part at all (the number of records is kept secret too)",
                         subject);
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

}  // namespace

std::string statement(const Guarantee& guarantee, const std::string& privacy_unit) {
  if (std::isinf(guarantee.epsilon) || guarantee.delta >= 1) {
    return "No privacy is protected: the noise promises nothing at this delta.";
  }
  auto text = fmt::format(
      "({:.6g}, {:.3g})-differential privacy under {} neighbours. Someone who sees the result and "
      "knows everything else cannot tell {} much better than before: the odds of any conclusion "
      "change by a factor of at most {}",
      guarantee.epsilon, guarantee.delta, to_string(guarantee.adjacency),
      neighbours_in_words(guarantee.adjacency, privacy_unit), factor_in_words(guarantee.epsilon));
  text += guarantee.delta > 0
              ? fmt::format(", except for events of total probability {:.3g}. ", guarantee.delta)
              : std::string(", without exception. ");
  text +=
      "Two such results together cost the sum of both epsilons and both deltas. It holds against "
      "anyone who cannot break the stream cipher that the noise is drawn from; it does not cover "
      "what running time or memory reveal, nor what the data's owner publishes elsewhere.";
  return text;
}

std::string statement(const Receipt& receipt) {
  if (!receipt.is_protected()) {
    return fmt::format("UNPROTECTED: {}. This result promises no privacy at all.",
                       receipt.unprotected_reason);
  }
  auto text = statement(receipt.guarantee, receipt.privacy_unit);
  if (receipt.cipher_delta > 0) {
    const auto& stated = receipt.guarantee;
    text +=
        fmt::format(" With noise from the cipher delta is {:.3g} more.",
                    delta_with_cipher({stated.epsilon, 0, stated.adjacency}, receipt.cipher_delta));
  }
  return text;
}

}  // namespace tacet::privacy
