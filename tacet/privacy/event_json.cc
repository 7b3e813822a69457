// The JSON form of events. The reader notes which keys it consumed, so a stray key cannot hide.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::privacy {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

const char* law_name(RepetitionLaw law) {
  switch (law) {
    case RepetitionLaw::truncated_negative_binomial:
      return "truncated_negative_binomial";
    case RepetitionLaw::poisson:
      return "poisson";
    case RepetitionLaw::binomial:
      return "binomial";
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

// ---- writing

Json number(double value) { return std::isinf(value) ? Json("inf") : Json(value); }

Json to_json(const Event& event);

Json list(const std::vector<Event>& events) {
  auto result = Json::array();
  for (const auto& event : events) result.push_back(to_json(event));
  return result;
}

struct Writer {
  Json out = Json::object();

  void operator()(const Gaussian& e) { out["noise_multiplier"] = number(e.noise_multiplier); }
  void operator()(const Laplace& e) { out["noise_multiplier"] = number(e.noise_multiplier); }
  void operator()(const DiscreteGaussian& e) {
    out["sigma"] = number(e.sigma);
    out["sensitivity"] = e.sensitivity;
    out["dimension"] = e.dimension;
  }
  void operator()(const DiscreteLaplace& e) {
    out["scale"] = number(e.scale);
    out["sensitivity"] = e.sensitivity;
  }
  void operator()(const PureDp& e) {
    out["epsilon"] = number(e.epsilon);
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const ApproximateDp& e) {
    out["epsilon"] = number(e.epsilon);
    out["delta"] = number(e.delta);
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const BoundedRange& e) {
    out["epsilon"] = number(e.epsilon);
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const ScoreSelection& e) {
    out["eta"] = number(e.eta);
    out["score_bound"] = number(e.score_bound);
    out["l2_sensitivity"] = number(e.l2_sensitivity);
    out["range_sensitivity"] = number(e.range_sensitivity);
    out["candidates"] = e.candidates;
    out["support"] = e.support;
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const Zcdp& e) {
    out["rho"] = number(e.rho);
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const Profile& e) {
    auto points = Json::array();
    for (const auto& point : e.points) {
      points.push_back(Json::array({number(point.epsilon), number(point.delta)}));
    }
    out["points"] = std::move(points);
    out["adjacency"] = to_string(e.adjacency);
  }
  void operator()(const ObjectivePerturbation& e) {
    out["sigma"] = number(e.sigma);
    out["lipschitz"] = number(e.lipschitz);
    out["smoothness"] = number(e.smoothness);
    out["regularization"] = number(e.regularization);
    out["tolerance"] = number(e.tolerance);
    out["output_sigma"] = number(e.output_sigma);
  }
  void operator()(const ShuffledLocal& e) {
    out["local_epsilon"] = number(e.local_epsilon);
    out["reports"] = e.reports;
  }
  void operator()(const PoissonSampled& e) {
    out["rate"] = number(e.rate);
    if (e.records_a_unit != 1) out["records_a_unit"] = e.records_a_unit;
    out["base"] = to_json(*e.base);
  }
  void operator()(const FixedSizeSampled& e) {
    out["sample_size"] = e.sample_size;
    out["population"] = e.population;
    out["base"] = to_json(*e.base);
  }
  void operator()(const Partitioned& e) {
    out["assignment"] = e.assignment == Assignment::by_position ? "by_position" : "by_record";
    out["parts"] = list(e.parts);
  }
  void operator()(const Composed& e) { out["parts"] = list(e.parts); }
  void operator()(const Repeated& e) {
    out["count"] = e.count;
    out["base"] = to_json(*e.base);
  }
  void operator()(const RandomlyRepeated& e) {
    out["law"] = law_name(e.law);
    switch (e.law) {
      case RepetitionLaw::truncated_negative_binomial:
        out["eta"] = number(e.eta);
        out["gamma"] = number(e.gamma);
        break;
      case RepetitionLaw::poisson:
        out["mean"] = number(e.mean);
        break;
      case RepetitionLaw::binomial:
        out["trials"] = e.trials;
        out["probability"] = number(e.probability);
        break;
    }
    out["cap"] = e.cap;
    out["base"] = to_json(*e.base);
  }
};

Json to_json(const Event& event) {
  Writer writer;
  writer.out["kind"] = kind_name(event);
  std::visit(writer, event.node());
  return std::move(writer.out);
}

// ---- reading

[[noreturn]] void bad(const std::string& path, const std::string& what) {
  throw base::DataError(fmt::format("event file, {}: {}", path, what));
}

/// One JSON object, read key by key; done() refuses what was not asked for.
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) bad(path_, "an object was expected");
  }

  const Json& at(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) bad(path_, fmt::format("the key '{}' is missing", key));
    seen_.insert(key);
    return *found;
  }
  double real(const char* key) { return as_real(at(key), path_ + "." + key); }
  std::int64_t integer(const char* key) {
    const auto& value = at(key);
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits) bad(path_ + "." + key, "an integer was expected, got " + value.dump());
    return value.get<std::int64_t>();
  }
  std::int64_t integer_or(const char* key, std::int64_t fallback) {
    return object_.contains(key) ? integer(key) : fallback;
  }
  std::string text(const char* key) {
    const auto& value = at(key);
    if (!value.is_string()) bad(path_ + "." + key, "a string was expected, got " + value.dump());
    return value.get<std::string>();
  }
  Adjacency adjacency() {
    const auto name = text("adjacency");
    try {
      return parse_adjacency(name);
    } catch (const base::UsageError& error) {
      bad(path_, error.what());
    }
  }
  void done() const {
    for (const auto& [key, value] : object_.items()) {
      if (!seen_.contains(key)) bad(path_, fmt::format("unknown key '{}'", key));
    }
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  static double as_real(const Json& value, const std::string& path) {
    if (value.is_string() && value.get<std::string>() == "inf") return HUGE_VAL;
    if (!value.is_number()) bad(path, "a number or \"inf\" was expected, got " + value.dump());
    return value.get<double>();
  }

 private:
  const Json& object_;
  std::string path_;
  std::set<std::string> seen_;
};

class Reader {
 public:
  Event read(const Json& json, const std::string& path, int depth) {
    if (depth > max_event_depth) {
      bad(path, fmt::format("nested deeper than {} levels", max_event_depth));
    }
    if (++nodes_ > max_event_nodes) bad(path, fmt::format("more than {} events", max_event_nodes));
    Fields fields(json, path);
    const auto kind = fields.text("kind");
    try {
      auto event = make(kind, fields, depth);
      fields.done();
      return event;
    } catch (const base::UsageError& error) {
      bad(path, error.what());
    }
  }

 private:
  EventBox child(Fields& fields, int depth) {
    return read(fields.at("base"), fields.path() + ".base", depth + 1);
  }

  std::vector<Event> children(Fields& fields, int depth) {
    const auto& parts = fields.at("parts");
    if (!parts.is_array()) bad(fields.path() + ".parts", "an array was expected");
    std::vector<Event> events;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      events.push_back(read(parts[i], fmt::format("{}.parts[{}]", fields.path(), i), depth + 1));
    }
    return events;
  }

  Event make(const std::string& kind, Fields& f, int depth) {
    if (kind == "poisson_sampled") {
      const auto rate = f.real("rate");
      const auto records = f.integer_or("records_a_unit", 1);
      return PoissonSampled{rate, child(f, depth), records};
    }
    if (kind == "fixed_size_sampled") {
      const auto size = f.integer("sample_size");
      return FixedSizeSampled{size, f.integer("population"), child(f, depth)};
    }
    if (kind == "partitioned") return Partitioned{assignment(f), children(f, depth)};
    if (kind == "composed") return Composed{children(f, depth)};
    if (kind == "repeated") return Repeated{f.integer("count"), child(f, depth)};
    if (kind == "randomly_repeated") return repetition(f, depth);
    return leaf(kind, f);
  }

  static Event leaf(const std::string& kind, Fields& f) {
    if (kind == "gaussian") return Gaussian{f.real("noise_multiplier")};
    if (kind == "laplace") return Laplace{f.real("noise_multiplier")};
    if (kind == "discrete_gaussian") {
      return DiscreteGaussian{f.real("sigma"), f.integer("sensitivity"), f.integer("dimension")};
    }
    if (kind == "discrete_laplace") {
      return DiscreteLaplace{f.real("scale"), f.integer("sensitivity")};
    }
    if (kind == "pure_dp") return PureDp{f.real("epsilon"), f.adjacency()};
    if (kind == "approximate_dp") {
      return ApproximateDp{f.real("epsilon"), f.real("delta"), f.adjacency()};
    }
    if (kind == "bounded_range") return BoundedRange{f.real("epsilon"), f.adjacency()};
    if (kind == "score_selection") {
      return ScoreSelection{f.real("eta"),
                            f.real("score_bound"),
                            f.real("l2_sensitivity"),
                            f.real("range_sensitivity"),
                            f.integer("candidates"),
                            f.integer("support"),
                            f.adjacency()};
    }
    if (kind == "zcdp") return Zcdp{f.real("rho"), f.adjacency()};
    if (kind == "profile") return profile(f);
    if (kind == "objective_perturbation") {
      return ObjectivePerturbation{f.real("sigma"),      f.real("lipschitz"),
                                   f.real("smoothness"), f.real("regularization"),
                                   f.real("tolerance"),  f.real("output_sigma")};
    }
    if (kind == "shuffled_local") {
      return ShuffledLocal{f.real("local_epsilon"), f.integer("reports")};
    }
    bad(f.path(), fmt::format("unknown kind of event '{}'", kind));
  }

  static Assignment assignment(Fields& f) {
    const auto name = f.text("assignment");
    if (name == "by_position") return Assignment::by_position;
    if (name == "by_record") return Assignment::by_record;
    bad(f.path(), fmt::format("assignment must be by_position or by_record, got '{}'", name));
  }

  static Event profile(Fields& f) {
    Profile result{{}, f.adjacency()};
    const auto& points = f.at("points");
    if (!points.is_array()) bad(f.path() + ".points", "an array was expected");
    for (const auto& point : points) {
      const auto path = f.path() + ".points";
      if (!point.is_array() || point.size() != 2) bad(path, "pairs [epsilon, delta] were expected");
      result.points.push_back({Fields::as_real(point[0], path), Fields::as_real(point[1], path)});
    }
    return result;
  }

  Event repetition(Fields& f, int depth) {
    const auto law = f.text("law");
    const auto cap = f.integer("cap");
    if (law == "truncated_negative_binomial") {
      const auto eta = f.real("eta");
      return RandomlyRepeated{RepetitionLaw::truncated_negative_binomial,
                              eta,
                              f.real("gamma"),
                              0,
                              0,
                              0,
                              cap,
                              child(f, depth)};
    }
    if (law == "poisson") {
      const auto mean = f.real("mean");
      return RandomlyRepeated{RepetitionLaw::poisson, 0, 0, mean, 0, 0, cap, child(f, depth)};
    }
    if (law == "binomial") {
      const auto trials = f.integer("trials");
      const auto probability = f.real("probability");
      return RandomlyRepeated{RepetitionLaw::binomial, 0, 0, 0, trials, probability, cap,
                              child(f, depth)};
    }
    bad(f.path(), fmt::format("law must be truncated_negative_binomial, poisson or binomial, "
                              "got '{}'",
                              law));
  }

  int nodes_ = 0;
};

struct KindName {
  const char* operator()(const Gaussian&) const { return "gaussian"; }
  const char* operator()(const Laplace&) const { return "laplace"; }
  const char* operator()(const DiscreteGaussian&) const { return "discrete_gaussian"; }
  const char* operator()(const DiscreteLaplace&) const { return "discrete_laplace"; }
  const char* operator()(const PureDp&) const { return "pure_dp"; }
  const char* operator()(const ApproximateDp&) const { return "approximate_dp"; }
  const char* operator()(const BoundedRange&) const { return "bounded_range"; }
  const char* operator()(const ScoreSelection&) const { return "score_selection"; }
  const char* operator()(const Zcdp&) const { return "zcdp"; }
  const char* operator()(const Profile&) const { return "profile"; }
  const char* operator()(const ObjectivePerturbation&) const { return "objective_perturbation"; }
  const char* operator()(const ShuffledLocal&) const { return "shuffled_local"; }
  const char* operator()(const PoissonSampled&) const { return "poisson_sampled"; }
  const char* operator()(const FixedSizeSampled&) const { return "fixed_size_sampled"; }
  const char* operator()(const Partitioned&) const { return "partitioned"; }
  const char* operator()(const Composed&) const { return "composed"; }
  const char* operator()(const Repeated&) const { return "repeated"; }
  const char* operator()(const RandomlyRepeated&) const { return "randomly_repeated"; }
};

}  // namespace

std::string kind_name(const Event& event) { return std::visit(KindName{}, event.node()); }

std::string event_to_json(const Event& event, int indent) {
  auto document = Json::object();
  document["version"] = format_version;
  document["event"] = to_json(event);
  return document.dump(indent);
}

Event event_from_json(std::string_view text) {
  // An event nests at most two JSON levels (its object and its parts).
  const auto document = internal::parse_strictly(
      text,
      {.what = "event file", .max_bytes = max_event_bytes, .max_depth = 2 * max_event_depth + 4});
  Fields fields(document, "top level");
  const auto version = fields.integer("version");
  if (version != format_version) {
    bad("version", fmt::format("this program reads version {}, got {}", format_version, version));
  }
  auto event = Reader().read(fields.at("event"), "event", 1);
  fields.done();
  return event;
}

}  // namespace tacet::privacy
