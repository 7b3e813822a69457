#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::apps {

/// What `tacet account` was asked and what it found.
struct AccountResult {
  nlohmann::ordered_json subject;        ///< the mechanism or the files, in printed order
  std::string found;                     ///< the entry that was computed
  privacy::Guarantee guarantee;          ///< its proved end
  accounting::PrivacyInterval interval;  ///< of epsilon, or of delta where that was found
  std::string privacy_unit = "record";
  std::string unprotected_reason = {};  ///< where one of the results protects nobody
};

void print_result(const Console& console, const AccountResult& result);

/// A point of an (epsilon, delta) curve.
struct EpsilonAtDelta {
  double delta;
  accounting::PrivacyInterval epsilon;
};

/// CSV, or JSON where asked for.
void print_curve(const Console& console, const nlohmann::ordered_json& subject,
                 privacy::Adjacency adjacency, const std::vector<EpsilonAtDelta>& curve);

/// An interval of `quantity` in words: whether its ends are proved bounds, and how far apart.
[[nodiscard]] std::string interval_in_words(const accounting::PrivacyInterval& interval,
                                            const std::string& quantity);

/// The route's name with what it stands for.
[[nodiscard]] std::string route_in_words(const std::string& route);

}  // namespace tacet::apps
