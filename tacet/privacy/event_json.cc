// The JSON form of events. The reader notes which keys it consumed, so a stray key cannot hide.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::privacy {
namespace {

using Json = nlohmann::ordered_json;

constexpr int event_format_version = 1;

// ---- writing

Json to_json(const Event& event);

/// Writes the fields of one kind.
struct WriteField {
  Json& out;

  void operator()(const char* key, double value, const range::Range& /*range*/) {
    out[key] = internal::number_json(value);
  }
  void operator()(const char* key, std::int64_t value, const range::CountRange& range) {
    if (value != range.unwritten) out[key] = value;
  }
  void operator()(const char* key, const std::vector<ProfilePoint>& points) {
    auto& list = out[key] = Json::array();
    for (const auto& point : points) {
      list.push_back(
          Json::array({internal::number_json(point.epsilon), internal::number_json(point.delta)}));
    }
  }
  void operator()(const char* key, const EventBox& base) { out[key] = to_json(*base); }
  void operator()(const char* key, const std::vector<Event>& parts) {
    auto& list = out[key] = Json::array();
    for (const auto& part : parts) list.push_back(to_json(part));
  }
  template <typename Enumeration>
  void operator()(const char* key, Enumeration value) {
    out[key] = to_string(value);
  }
};

Json to_json(const Event& event) {
  auto out = Json::object();
  out["kind"] = kind_name(event);
  std::visit([&](const auto& e) { e.fields(e, WriteField{out}); }, event.node());
  return out;
}

// ---- reading

[[noreturn]] void bad(const std::string& path, const std::string& what) {
  throw base::DataError("event file, {}: {}", path, what);
}

/// One JSON object, read key by key; done() refuses the keys that nobody asked for.
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
  double real(const char* key) { return to_double(at(key), path_ + "." + key); }
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
  void done() const {
    for (const auto& [key, value] : object_.items()) {
      if (!seen_.contains(key)) bad(path_, fmt::format("unknown key '{}'", key));
    }
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  static double to_double(const Json& value, const std::string& path) {
    if (value.is_string() && value.get<std::string>() == "inf") return HUGE_VAL;
    if (!value.is_number()) bad(path, "a number or \"inf\" was expected, got " + value.dump());
    return value.get<double>();
  }

 private:
  const Json& object_;
  std::string path_;
  std::set<std::string> seen_;
};

}  // namespace

class internal::EventReader {
 public:
  Event read(const Json& json, const std::string& path, int depth) {
    if (depth > max_event_depth) {
      bad(path, fmt::format("nested deeper than {} levels", max_event_depth));
    }
    if (++nodes_ > max_event_nodes) bad(path, fmt::format("more than {} events", max_event_nodes));
    Fields fields(json, path);
    const auto kind = fields.text("kind");
    try {
      auto event = of_kind<0>(kind, fields, depth);
      fields.done();
      return event;
    } catch (const base::UsageError& error) {
      bad(path, error.what());
    }
  }

 private:
  /// The kind of this name among those from `index` on.
  template <std::size_t index>
  Event of_kind(const std::string& kind, Fields& fields, int depth) {
    if constexpr (index == std::variant_size_v<Event::Node>) {
      bad(fields.path(), fmt::format("unknown kind of event '{}'", kind));
    } else {
      using Kind = std::variant_alternative_t<index, Event::Node>;
      if (kind != Kind::kind) return of_kind<index + 1>(kind, fields, depth);
      Kind event{};
      Kind::fields(event, ReadField{*this, fields, depth});
      return event;
    }
  }

  /// Reads the fields of one kind.
  struct ReadField {
    EventReader& reader;
    Fields& from;
    int depth;

    void operator()(const char* key, double& value, const range::Range& /*range*/) {
      value = from.real(key);
    }
    void operator()(const char* key, std::int64_t& value, const range::CountRange& range) {
      value = range.unwritten ? from.integer_or(key, *range.unwritten) : from.integer(key);
    }
    void operator()(const char* key, Adjacency& value) { value = parse_adjacency(from.text(key)); }
    void operator()(const char* key, Assignment& value) {
      value =
          named(key, {Assignment::by_position, Assignment::by_record}, "by_position or by_record");
    }
    void operator()(const char* key, RepetitionLaw& value) {
      value = named(key,
                    {RepetitionLaw::truncated_negative_binomial, RepetitionLaw::poisson,
                     RepetitionLaw::binomial},
                    "truncated_negative_binomial, poisson or binomial");
    }
    void operator()(const char* key, std::vector<ProfilePoint>& value) {
      const auto path = from.path() + "." + key;
      for (const auto& point : array(key)) {
        if (!point.is_array() || point.size() != 2) {
          bad(path, "pairs [epsilon, delta] were expected");
        }
        value.push_back({Fields::to_double(point[0], path), Fields::to_double(point[1], path)});
      }
    }
    void operator()(const char* key, EventBox& value) {
      value = reader.read(from.at(key), from.path() + "." + key, depth + 1);
    }
    void operator()(const char* key, std::vector<Event>& value) {
      for (const auto& part : array(key)) {
        const auto path = fmt::format("{}.{}[{}]", from.path(), key, value.size());
        value.push_back(reader.read(part, path, depth + 1));
      }
    }

    const Json& array(const char* key) {
      const auto& list = from.at(key);
      if (!list.is_array()) bad(from.path() + "." + key, "an array was expected");
      return list;
    }
    template <typename Enumeration>
    Enumeration named(const char* key, std::initializer_list<Enumeration> values,
                      const char* allowed) {
      const auto name = from.text(key);
      for (const auto value : values) {
        if (name == to_string(value)) return value;
      }
      bad(from.path(), fmt::format("{} must be {}, got '{}'", key, allowed, name));
    }
  };

  int nodes_ = 0;
};

std::string event_to_json(const Event& event, int indent) {
  auto document = Json::object();
  document["version"] = event_format_version;
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
  if (version != event_format_version) {
    bad("version",
        fmt::format("this program reads version {}, got {}", event_format_version, version));
  }
  auto event = internal::EventReader().read(fields.at("event"), "event", 1);
  fields.done();
  return event;
}

}  // namespace tacet::privacy
