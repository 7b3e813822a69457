#include "tacet/apps/mechanism_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/error.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

struct Declaration {
  const char* option;
  const char* help;
};

constexpr const char* mechanism_names =
    "gaussian, laplace, discrete_gaussian, discrete_laplace, pure_dp, approximate_dp, zcdp, "
    "bounded_range, score_selection or shuffled_local";

constexpr Declaration declarations[] = {
    {"--mechanism", mechanism_names},
    {"--noise-multiplier",
     "gaussian, laplace: standard deviation or scale over the bound of one record; "
     "score_selection: of a Gaussian release from the same records"},
    {"--sigma", "gaussian, discrete_gaussian: standard deviation; with --sensitivity"},
    {"--scale", "laplace, discrete_laplace: scale; with --sensitivity"},
    {"--sensitivity",
     "Bound of one record's contribution, for --sigma (L2 norm) and --scale (L1 norm) [default: "
     "1]"},
    {"--dimension", "discrete_gaussian: number of coordinates [default: 1]"},
    {"--epsilon-each",
     "pure_dp, approximate_dp, bounded_range, shuffled_local: of one release; score_selection: of "
     "one draw, 2 eta times the sensitivity of a score"},
    {"--delta-each", "approximate_dp: of one release"},
    {"--rho", "zcdp: of one release"},
    {"--reports", "shuffled_local: how many clients report"},
    {"--score-bound", "score_selection: scores lie between 0 and this"},
    {"--l2-sensitivity", "score_selection: bound of the vector by which a record moves the scores"},
    {"--support", "score_selection: so many scores can a record move"},
    {"--candidates", "score_selection: so many there are to draw from"},
    {"--draws", "score_selection: so many are drawn, each from those left [default: 1]"},
    {"--sampling-rate",
     "Each release reads a secret sample that a record joins with this probability"},
    {"--sample-size", "Each release reads a secret sample of exactly so many records ..."},
    {"--population", "... out of so many"},
    {"--steps", "How often it is released, at least 1 [default: 1]"},
};

/// The options that were given. It remembers which of them a mechanism has read, so that one that
/// does not belong to the mechanism is refused.
class Given {
 public:
  template <typename Values>
  explicit Given(const Values& values) {
    for (const auto& value : values) {
      if (!value.text.empty()) texts_[value.option] = value.text;
    }
  }

  [[nodiscard]] bool has(const std::string& option) {
    used_.insert(option);
    return texts_.contains(option);
  }
  [[nodiscard]] std::string text(const std::string& option) {
    if (has(option)) return texts_.at(option);
    throw base::UsageError("{} is missing", option);
  }
  [[nodiscard]] double real(const std::string& option, std::string_view allowed) {
    return number_option(option, text(option), allowed);
  }
  [[nodiscard]] std::int64_t whole(const std::string& option, std::int64_t min) {
    return count_option(option, text(option), min);
  }

  void refuse_unused(const std::string& mechanism) const {
    for (const auto& [option, text] : texts_) {
      if (!used_.contains(option)) {
        throw base::UsageError("{} does not go with --mechanism {}", option, mechanism);
      }
    }
  }

 private:
  std::map<std::string, std::string> texts_;
  std::set<std::string> used_;
};

constexpr std::string_view at_least_0 = "a number of at least 0";

double positive_sensitivity(Given& given) {
  if (!given.has("--sensitivity")) return 1;
  const double bound = given.real("--sensitivity", "a number above 0");
  if (!(bound > 0 && std::isfinite(bound))) {
    throw base::UsageError("--sensitivity must be above 0, got {}", bound);
  }
  return bound;
}

double nonnegative(Given& given, const std::string& option) {
  const double value = given.real(option, at_least_0);
  if (!(value >= 0)) throw base::UsageError("{} must be at least 0, got {}", option, value);
  return value;
}

/// The noise of a continuous mechanism over the bound of a record, rounded down: less noise is the
/// safe side.
double multiplier(Given& given, const std::string& absolute) {
  const bool relative = given.has("--noise-multiplier");
  if (relative == given.has(absolute)) {
    throw base::UsageError(relative ? fmt::format("give one of --noise-multiplier and {}", absolute)
                                    : fmt::format("the noise is missing: give --noise-multiplier, "
                                                  "or {}, or --target-epsilon to find it",
                                                  absolute));
  }
  if (relative) return nonnegative(given, "--noise-multiplier");
  const double noise = nonnegative(given, absolute);
  const double bound = positive_sensitivity(given);
  const double quotient = noise / bound;
  return std::fma(quotient, bound, -noise) > 0 ? std::nextafter(quotient, 0.0) : quotient;
}

void fill_discrete_gaussian(Given& given, bool open, ReleasePlan& plan) {
  plan.noise_name = "sigma";
  const auto sensitivity = given.has("--sensitivity") ? given.whole("--sensitivity", 0) : 1;
  const auto dimension = given.has("--dimension") ? given.whole("--dimension", 1) : 1;
  if (!open) plan.noise = nonnegative(given, "--sigma");
  plan.settings["sensitivity"] = sensitivity;
  plan.settings["dimension"] = dimension;
  plan.one = [=](double noise) -> privacy::Event {
    return privacy::DiscreteGaussian{noise, sensitivity, dimension};
  };
}

void fill_discrete_laplace(Given& given, bool open, ReleasePlan& plan) {
  plan.noise_name = "scale";
  const auto sensitivity = given.has("--sensitivity") ? given.whole("--sensitivity", 0) : 1;
  if (!open) plan.noise = nonnegative(given, "--scale");
  plan.settings["sensitivity"] = sensitivity;
  plan.one = [=](double noise) -> privacy::Event {
    return privacy::DiscreteLaplace{noise, sensitivity};
  };
}

double positive(Given& given, const std::string& option) {
  const double value = given.real(option, "a number above 0");
  if (value > 0 && std::isfinite(value)) return value;
  throw base::UsageError("{} must be above 0, got {}", option, value);
}

/// Draws of the exponential mechanism among scores that a record moves together, and perhaps a
/// noisy sum of the same records.
void fill_score_selection(Given& given, bool open, privacy::Adjacency adjacency,
                          ReleasePlan& plan) {
  const double epsilon = nonnegative(given, "--epsilon-each");
  const double bound = positive(given, "--score-bound");
  const double moved = positive(given, "--l2-sensitivity");
  const auto candidates = given.whole("--candidates", 1);
  const auto support = given.whole("--support", 0);
  const auto draws = given.has("--draws") ? given.whole("--draws", 1) : 1;
  if (draws > candidates) {
    throw base::UsageError("--draws must be at most --candidates {}, got {}", candidates, draws);
  }
  const auto up = [](double value) { return std::nextafter(value, HUGE_VAL); };
  // Two scores move apart by at most sqrt(2) times the vector's length, and by twice the bound.
  const privacy::Event draw =
      privacy::ScoreSelection{up(epsilon / (2 * std::min(bound, moved))),
                              bound,
                              moved,
                              std::min(2 * bound, up(up(std::sqrt(2.0)) * moved)),
                              candidates - draws + 1,
                              support,
                              adjacency};
  const privacy::Event selection = draws == 1 ? draw : privacy::Repeated{draws, draw};
  plan.settings["epsilon_each"] = json_number(epsilon);
  plan.settings["score_bound"] = bound;
  plan.settings["l2_sensitivity"] = moved;
  plan.settings["candidates"] = candidates;
  plan.settings["support"] = support;
  plan.settings["draws"] = draws;
  const bool noisy = open || given.has("--noise-multiplier");
  if (noisy) plan.noise_name = "noise_multiplier";
  if (noisy && !open) plan.noise = nonnegative(given, "--noise-multiplier");
  plan.one = [=](double noise) -> privacy::Event {
    if (!noisy) return selection;
    return privacy::Composed{{selection, privacy::Gaussian{noise}}};
  };
}

/// Mechanisms with noise; false for another one.
bool fill_noise(Given& given, bool open, ReleasePlan& plan) {
  if (plan.mechanism == "discrete_gaussian") {
    fill_discrete_gaussian(given, open, plan);
  } else if (plan.mechanism == "discrete_laplace") {
    fill_discrete_laplace(given, open, plan);
  } else if (plan.mechanism == "gaussian" || plan.mechanism == "laplace") {
    const bool gaussian = plan.mechanism == "gaussian";
    plan.noise_name = "noise_multiplier";
    if (!open) plan.noise = multiplier(given, gaussian ? "--sigma" : "--scale");
    plan.one = [gaussian](double noise) -> privacy::Event {
      if (gaussian) return privacy::Gaussian{noise};
      return privacy::Laplace{noise};
    };
  } else {
    return false;
  }
  return true;
}

/// Mechanisms known by what is proved about one release.
privacy::Event stated_release(Given& given, privacy::Adjacency adjacency, ReleasePlan& plan) {
  const auto& kind = plan.mechanism;
  if (kind == "zcdp") {
    const double rho = nonnegative(given, "--rho");
    plan.settings["rho"] = json_number(rho);
    return privacy::Zcdp{rho, adjacency};
  }
  const double epsilon = nonnegative(given, "--epsilon-each");
  plan.settings["epsilon_each"] = json_number(epsilon);
  if (kind == "pure_dp") return privacy::PureDp{epsilon, adjacency};
  if (kind == "bounded_range") return privacy::BoundedRange{epsilon, adjacency};
  if (kind == "shuffled_local") {
    const auto reports = given.whole("--reports", 1);
    plan.settings["reports"] = reports;
    return privacy::ShuffledLocal{epsilon, reports};
  }
  const double delta = nonnegative(given, "--delta-each");
  plan.settings["delta_each"] = delta;
  return privacy::ApproximateDp{epsilon, delta, adjacency};
}

bool is_stated(const std::string& mechanism) {
  return mechanism == "pure_dp" || mechanism == "approximate_dp" || mechanism == "zcdp" ||
         mechanism == "bounded_range" || mechanism == "shuffled_local";
}

/// A mechanism known by what is stated of it has nothing that could be scaled.
void refuse_stated(Unknown unknown, const std::string& mechanism) {
  if (unknown != Unknown::noise) return;
  throw base::UsageError(
      "--mechanism {} has no noise to find, only what is stated of one release; --find steps is "
      "possible",
      mechanism);
}

void fill_sample(Given& given, Unknown unknown, ReleasePlan& plan) {
  if (given.has("--sampling-rate")) {
    const double rate = given.real("--sampling-rate", "a number from 0 to 1");
    if (!(rate >= 0 && rate <= 1)) {
      throw base::UsageError("--sampling-rate must be a number from 0 to 1, got {}", rate);
    }
    plan.sampling_rate = rate;
  }
  const bool size = given.has("--sample-size");
  if (size != given.has("--population")) {
    throw base::UsageError("--sample-size and --population go together");
  }
  if (!size) return;
  if (plan.sampling_rate || unknown == Unknown::sampling_rate) {
    throw base::UsageError(
        "a sample is drawn one way: give a sampling rate or --sample-size, not both");
  }
  plan.population = given.whole("--population", 1);
  plan.sample_size = given.whole("--sample-size", 0);
  if (*plan.sample_size > plan.population) {
    throw base::UsageError("--sample-size must be at most --population {}, got {}", plan.population,
                           *plan.sample_size);
  }
}

void refuse_what_is_sought(Given& given, Unknown unknown) {
  const auto refuse = [&given](const char* option, const char* sought) {
    if (!given.has(option)) return;
    throw base::UsageError(
        "{} is given, so --target-epsilon has no {} to find; leave it out, or name another unknown "
        "by --find noise, steps or sampling-rate",
        option, sought);
  };
  if (unknown == Unknown::noise) {
    for (const auto* option : {"--noise-multiplier", "--sigma", "--scale"}) refuse(option, "noise");
  }
  if (unknown == Unknown::steps) refuse("--steps", "number of steps");
  if (unknown == Unknown::sampling_rate) refuse("--sampling-rate", "sampling rate");
}

}  // namespace

privacy::Event ReleasePlan::event() const {
  privacy::Event step = one(noise);
  if (sample_size) step = privacy::FixedSizeSampled{*sample_size, population, step};
  if (sampling_rate && *sampling_rate != 1) step = privacy::PoissonSampled{*sampling_rate, step};
  return steps == 1 ? step : privacy::Event(privacy::Repeated{steps, step});
}

ordered_json ReleasePlan::description() const {
  ordered_json out;
  out["mechanism"] = mechanism;
  if (!noise_name.empty()) out[noise_name] = json_number(noise);
  for (const auto& [name, value] : settings.items()) out[name] = value;
  if (sampling_rate) out["sampling_rate"] = *sampling_rate;
  if (sample_size) {
    out["sample_size"] = *sample_size;
    out["population"] = population;
  }
  out["steps"] = steps;
  return out;
}

void MechanismOptions::declare(Options& options) {
  values_.reserve(std::size(declarations));
  for (const auto& declaration : declarations) {
    // The parser keeps references to the texts, which the reserve above keeps in place.
    auto& value = values_.emplace_back(Value{declaration.option, ""});
    options.add(declaration.option, value.text, value.option == "--mechanism" ? "NAME" : "NUMBER",
                declaration.help);
  }
  options.offer("--mechanism",
                {"gaussian", "laplace", "discrete_gaussian", "discrete_laplace", "pure_dp",
                 "approximate_dp", "zcdp", "bounded_range", "score_selection", "shuffled_local"});
}

std::string MechanismOptions::first_given() const {
  for (const auto& value : values_) {
    if (!value.text.empty()) return value.option;
  }
  return "";
}

ReleasePlan MechanismOptions::plan(Unknown unknown, privacy::Adjacency adjacency) const {
  Given given(values_);
  refuse_what_is_sought(given, unknown);
  if (!given.has("--mechanism")) {
    throw base::UsageError("nothing to account for: name files, or give --mechanism gaussian");
  }
  ReleasePlan plan{.mechanism = given.text("--mechanism"), .settings = ordered_json::object()};
  if (plan.mechanism == "score_selection") {
    fill_score_selection(given, unknown == Unknown::noise, adjacency, plan);
  } else if (!fill_noise(given, unknown == Unknown::noise, plan)) {
    if (!is_stated(plan.mechanism)) {
      throw base::UsageError("--mechanism must be {}, got '{}'", mechanism_names, plan.mechanism);
    }
    refuse_stated(unknown, plan.mechanism);
    const auto release = stated_release(given, adjacency, plan);
    plan.one = [release](double /*noise*/) { return release; };
  }
  if (unknown == Unknown::sampling_rate && plan.mechanism != "gaussian") {
    throw base::UsageError(
        "--find sampling-rate goes with --mechanism gaussian, not {}; --find steps is possible",
        plan.mechanism);
  }
  if (given.has("--steps")) plan.steps = given.whole("--steps", 1);
  fill_sample(given, unknown, plan);
  given.refuse_unused(plan.mechanism);
  return plan;
}

}  // namespace tacet::apps
