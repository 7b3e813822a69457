#include "tacet/apps/account_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/text.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/verification.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view without_slack =
    "The PRG slack, which receipts carry and `tacet verify` adds, is not included.";

std::string cell(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

std::string promise_in_words(const AccountResult& result) {
  if (!result.unprotected_reason.empty()) {
    return fmt::format(
        "UNPROTECTED: {}. Nothing is promised; the numbers are what the noise would cost if it "
        "were secret.",
        base::printable(result.unprotected_reason));
  }
  return privacy::statement(
      privacy::Promise{.guarantee = result.guarantee, .privacy_unit = result.privacy_unit});
}

void print_json(const Console& console, const AccountResult& result) {
  ordered_json out = result.subject;
  out["adjacency"] = to_string(result.guarantee.adjacency);
  out["epsilon"] = json_number(result.guarantee.epsilon);
  out["delta"] = json_number(result.guarantee.delta);
  out["found"] = result.found;
  out["interval"] = {{"quantity", result.found == "delta" ? "delta" : "epsilon"},
                     {"lower", json_number(result.interval.attained)},
                     {"upper", json_number(result.interval.upper)},
                     {"pair_lower", json_number(report::pair_lower(result.interval))}};
  out["route"] = result.interval.route;
  out["cipher_included"] = false;
  out["statement"] = promise_in_words(result);
  console.result(json_text(out));
}

}  // namespace

std::string interval_in_words(const accounting::PrivacyInterval& interval,
                              const std::string& quantity) {
  if (interval.route == "none") return "Nothing about a record is released.";
  if (std::isinf(interval.upper)) return "No finite epsilon is proved at this delta.";
  if (interval.upper == 0) return fmt::format("The {} is 0: that is proved, and exact.", quantity);
  const std::string pair =
      interval.lower > interval.attained
          ? fmt::format(
                " The worst pair of distributions that the proof allows costs at least {}: that "
                "shows how tight the numbers are, but real data sets may not reach it.",
                interval.lower)
          : "";
  if (interval.attained <= 0) {
    return fmt::format("The {} is proved; how far below it the truth may lie is not computed.{}",
                       quantity, pair);
  }
  return fmt::format(
      "The upper end is proved: it is what you may promise. No {} below the lower end holds, since "
      "two data sets that differ by as much as the bounds allow cost that much.{}",
      quantity, pair);
}

std::string route_in_words(const std::string& route) {
  static const std::map<std::string, std::string> words{
      {"gaussian", "closed form of Gaussian noise"},
      {"pld", "privacy loss distribution"},
      {"rdp", "Renyi divergences"},
      {"pure", "sum of pure epsilons"},
      {"basic", "sum of epsilons and of deltas"},
      {"tuning profile", "profile of private selection"},
      {"shuffle", "amplification by shuffling"},
      {"objective", "analysis of objective perturbation"},
      {"group", "group privacy of two records"},
      {"participation", "probability that a record is sampled at all"},
      {"trivial", "no bound below 1"},
      {"none", "costs nothing"}};
  const auto known = words.find(route);
  return known == words.end() ? route : fmt::format("{} ({})", route, known->second);
}

void print_result(const Console& console, const AccountResult& result) {
  if (console.json()) {
    print_json(console, result);
    return;
  }
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const std::string& name, const std::string& value) {
    rows.push_back({name, value + (name == result.found ? "  <-" : "    ")});
  };
  for (const auto& [name, value] : result.subject.items()) {
    row(name, name == "files" ? fmt::format("{}", value.size()) : cell(value));
  }
  row("adjacency", to_string(result.guarantee.adjacency));
  row("epsilon", fmt::format("{}", result.guarantee.epsilon));
  row("delta", fmt::format("{}", result.guarantee.delta));
  TextTable table(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  const std::string quantity = result.found == "delta" ? "delta" : "epsilon";
  console.result(table.text());
  console.result(fmt::format("\n{} from {} to {}, by route {}\n{}\n{}", quantity,
                             result.interval.attained, result.interval.upper,
                             route_in_words(result.interval.route),
                             paragraph(interval_in_words(result.interval, quantity)),
                             paragraph(promise_in_words(result))));
  console.say(without_slack);
}

void print_curve(const Console& console, const ordered_json& subject, privacy::Adjacency adjacency,
                 const std::vector<EpsilonAtDelta>& curve) {
  if (!console.json()) {
    std::string csv = "delta,epsilon_lower,epsilon_upper,route,pair_lower\n";
    for (const auto& point : curve) {
      csv +=
          fmt::format("{},{},{},{},{}\n", point.delta, point.epsilon.attained, point.epsilon.upper,
                      point.epsilon.route, report::pair_lower(point.epsilon));
    }
    console.result(csv);
    console.say(without_slack);
    return;
  }
  ordered_json out = subject;
  out["adjacency"] = to_string(adjacency);
  out["cipher_included"] = false;
  out["curve"] = ordered_json::array();
  for (const auto& point : curve) {
    out["curve"].push_back({{"delta", point.delta},
                            {"epsilon_lower", json_number(point.epsilon.attained)},
                            {"epsilon_upper", json_number(point.epsilon.upper)},
                            {"pair_lower", json_number(report::pair_lower(point.epsilon))},
                            {"route", point.epsilon.route}});
  }
  console.result(json_text(out));
}

}  // namespace tacet::apps
