#include "tacet/ledger/entry.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/numeric/rounding.h"

namespace tacet::ledger {
namespace {

using nlohmann::json;

using numeric::infinity;

template <typename... Values>
[[noreturn]] void damaged(fmt::format_string<Values...> what, Values&&... values) {
  throw base::DataError("a row of the ledger is damaged: " +
                        fmt::format(what, std::forward<Values>(values)...));
}

std::string exact(double value) { return std::isinf(value) ? "inf" : fmt::format("{:a}", value); }

double from_exact(const std::string& text) {
  if (text == "inf") return infinity;
  constexpr std::string_view prefix = "0x";
  double value = -1;
  if (text.starts_with(prefix)) {
    const char* const end = text.data() + text.size();
    const auto read =
        std::from_chars(text.data() + prefix.size(), end, value, std::chars_format::hex);
    if (read.ec == std::errc() && read.ptr == end && value >= 0 && std::isfinite(value)) {
      return value;
    }
  }
  damaged("'{}' is no amount", text);
}

/// The members of a JSON object. Each is read once; a member that nobody read is unknown.
class Members {
 public:
  explicit Members(const json& object) : object_(object) {
    if (!object.is_object()) damaged("it is no object");
  }
  std::string text(const char* name) {
    const auto& value = member(name);
    if (!value.is_string()) damaged("'{}' is no text", name);
    return value.get<std::string>();
  }
  std::string digest(const char* name) {
    auto value = text(name);
    if (!is_digest(value)) damaged("'{}' is no SHA-256", name);
    return value;
  }
  std::vector<std::string> digests(const char* name) {
    const auto& list = member(name);
    if (!list.is_array() || list.empty()) damaged("'{}' is no list of SHA-256", name);
    std::vector<std::string> digests;
    for (const auto& one : list) {
      if (!one.is_string() || !is_digest(one.get_ref<const std::string&>())) {
        damaged("'{}' holds what is no SHA-256", name);
      }
      digests.push_back(one.get<std::string>());
    }
    return digests;
  }
  std::int64_t whole(const char* name) {
    const auto& value = member(name);
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})) {
      damaged("'{}' is no whole number", name);
    }
    return value.get<std::int64_t>();
  }
  bool flag(const char* name) {
    const auto& value = member(name);
    if (!value.is_boolean()) damaged("'{}' is neither true nor false", name);
    return value.get<bool>();
  }
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
  double amount(const char* name) { return from_exact(text(name)); }
  privacy::Event event(const char* name) { return privacy::event_from_json(member(name).dump()); }
  privacy::Adjacency adjacency(const char* name) { return privacy::parse_adjacency(text(name)); }
  Members object(const char* name) { return Members(member(name)); }
  void finish() const {
    for (const auto& [name, value] : object_.items()) {
      if (!read_.contains(name)) damaged("unknown member '{}'", name);
    }
  }

 private:
  const json& member(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) damaged("'{}' is missing", name);
    read_.insert(name);
    return *found;
  }
  const json& object_;
  std::set<std::string> read_;
};

json amount_json(const Amount& amount) {
  if (amount.as_stated) {
    return {{"value", fmt::format("{}", amount.value)}, {"delta", fmt::format("{}", amount.delta)}};
  }
  return {{"value", exact(amount.value)}, {"delta", exact(amount.delta)}};
}

double from_decimal(const std::string& text) {
  double value = -1;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end && value >= 0 && std::isfinite(value) &&
      fmt::format("{}", value) == text) {
    return value;
  }
  damaged("'{}' is no amount", text);
}

/// Amounts are decimals, which stand for themselves, or hexadecimal doubles.
Amount read_amount(Members members) {
  const auto value = members.text("value");
  const auto delta = members.text("delta");
  members.finish();
  const bool as_stated = value != "inf" && !value.starts_with("0x") && !delta.starts_with("0x");
  if (as_stated) return {from_decimal(value), from_decimal(delta), true};
  return {from_exact(value), from_exact(delta)};
}

struct Write {
  json operator()(const Created& e) const {
    return {{"kind", "created"},
            {"ledger", e.ledger},
            {"key_digest", e.key_digest},
            {"software", e.software}};
  }
  json operator()(const Enrolled& e) const {
    return {{"kind", "enrolled"},
            {"data_set", e.data_set},
            {"adjacency", to_string(e.adjacency)},
            {"privacy_unit", e.privacy_unit}};
  }
  json operator()(const Aliased& e) const {
    return {{"kind", "alias"}, {"alias", e.alias}, {"data_set", e.data_set}};
  }
  json operator()(const RecordsSeen& e) const {
    return {{"kind", "records"},
            {"data_set", e.data_set},
            {"fingerprints", e.fingerprints},
            {"file", e.file},
            {"given", e.given}};
  }
  json operator()(const CapSet& e) const {
    return {{"kind", "cap"},
            {"data_set", e.data_set},
            {"currency", to_string(e.cap.currency)},
            {"value", exact(e.cap.value)},
            {"delta", exact(e.cap.delta)},
            {"order", exact(e.cap.order)},
            {"reason", e.reason}};
  }
  json operator()(const Reserved& e) const {
    return {{"kind", "reserved"},
            {"data_set", e.data_set},
            {"command", e.command},
            {"software", e.software},
            {"calibration", e.calibration},
            {"event", json::parse(privacy::event_to_json(e.event))},
            {"epsilon", exact(e.stated.epsilon)},
            {"delta", exact(e.stated.delta)},
            {"adjacency", to_string(e.stated.adjacency)},
            {"cost", amount_json(e.cost)},
            {"process", e.process.id},
            {"process_start", e.process.start},
            {"boot", e.process.boot},
            {"interactive", e.interactive},
            {"override", e.override_reason},
            {"unprotected", e.unprotected_reason}};
  }
  json operator()(const Committed& e) const {
    json out{{"kind", "committed"},
             {"run", e.run},
             {"event", json::parse(privacy::event_to_json(e.event))},
             {"cost", amount_json(e.cost)},
             {"output_sha256", e.output_sha256},
             {"output", e.output}};
    if (e.prg_slack != 0) out["prg_slack"] = exact(e.prg_slack);
    return out;
  }
  json operator()(const Disclosed& e) const { return {{"kind", "disclosed"}, {"run", e.run}}; }
  json operator()(const Cancelled& e) const { return {{"kind", "cancelled"}, {"run", e.run}}; }
  json operator()(const Resolved& e) const {
    return {{"kind", "resolved"}, {"run", e.run}, {"attestation", e.attestation}};
  }
  json operator()(const Looked& e) const {
    return {{"kind", "look"},     {"data_set", e.data_set},           {"command", e.command},
            {"reason", e.reason}, {"schema_sha256", e.schema_sha256}, {"ledger", e.ledger}};
  }
  json operator()(const OtherLedger& e) const {
    return {{"kind", "other_ledger"}, {"data_set", e.data_set}, {"ledger", e.ledger},
            {"path", e.path},         {"earlier", e.earlier},   {"reason", e.reason}};
  }
};

Cap read_cap(Members& in) {
  return checked(Cap{.currency = parse_currency(in.text("currency")),
                     .value = in.amount("value"),
                     .delta = in.amount("delta"),
                     .order = in.amount("order")});
}

Reserved read_reserved(Members& in) {
  return {.data_set = in.text("data_set"),
          .command = in.text("command"),
          .software = in.text("software"),
          .calibration = in.text("calibration"),
          .event = in.event("event"),
          .stated = privacy::checked(
              {in.amount("epsilon"), in.amount("delta"), in.adjacency("adjacency")}),
          .cost = read_amount(in.object("cost")),
          .process = {in.whole("process"), in.whole("process_start"), in.text("boot")},
          .interactive = in.flag("interactive"),
          .override_reason = in.text("override"),
          .unprotected_reason = in.text("unprotected")};
}

Looked read_look(Members& in) {
  Looked look{in.text("data_set"), in.text("command"), in.text("reason"), in.text("schema_sha256"),
              in.text("ledger")};
  if (!look.schema_sha256.empty() && !is_digest(look.schema_sha256)) {
    damaged("'schema_sha256' is no SHA-256");
  }
  return look;
}

Entry::Content read_content(const std::string& kind, Members& in) {
  if (kind == "created") {
    return Created{in.text("ledger"), in.digest("key_digest"), in.text("software")};
  }
  if (kind == "enrolled") {
    return Enrolled{in.text("data_set"), in.adjacency("adjacency"), in.text("privacy_unit")};
  }
  if (kind == "alias") return Aliased{in.text("alias"), in.text("data_set")};
  if (kind == "records") {
    return RecordsSeen{in.text("data_set"), in.digests("fingerprints"), in.text("file"),
                       in.flag("given")};
  }
  if (kind == "cap") {
    auto data_set = in.text("data_set");
    const auto cap = read_cap(in);
    return CapSet{std::move(data_set), cap, in.text("reason")};
  }
  if (kind == "reserved") return read_reserved(in);
  if (kind == "committed") {
    const auto run = in.whole("run");
    auto event = in.event("event");
    const auto cost = read_amount(in.object("cost"));
    Committed committed{run, std::move(event), cost, in.digest("output_sha256"), in.text("output")};
    if (in.has("prg_slack")) committed.prg_slack = in.amount("prg_slack");
    return committed;
  }
  if (kind == "cancelled") return Cancelled{in.whole("run")};
  if (kind == "disclosed") return Disclosed{in.whole("run")};
  if (kind == "resolved") return Resolved{in.whole("run"), in.text("attestation")};
  if (kind == "look") return read_look(in);
  if (kind == "other_ledger") {
    return OtherLedger{in.text("data_set"), in.text("ledger"), in.text("path"), in.flag("earlier"),
                       in.text("reason")};
  }
  damaged("unknown kind '{}'", kind);
}

}  // namespace

Entry entry_now(Entry::Content content) {
  const auto time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return {time, static_cast<std::int64_t>(::getuid()), std::move(content)};
}

std::string to_text(const Entry& entry) {
  json out = std::visit(Write{}, entry.content);
  out["time"] = entry.time;
  out["user"] = entry.user;
  return out.dump();
}

Entry entry_from_text(std::string_view text) {
  if (text.size() > max_entry_bytes) damaged("it is too long");
  try {
    const auto parsed = json::parse(text);
    Members in(parsed);
    Entry entry{in.text("time"), in.whole("user"), Cancelled{0}};
    entry.content = read_content(in.text("kind"), in);
    in.finish();
    return entry;
  } catch (const json::exception& error) {
    damaged("{}", error.what());
  } catch (const base::UsageError& error) {
    damaged("{}", error.what());
  }
}

void check_data_set_name(std::string_view name) {
  constexpr std::size_t longest = 100;
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.:").find(c) != std::string_view::npos;
  };
  if (name.empty() || name.size() > longest || !std::all_of(name.begin(), name.end(), fine)) {
    throw base::UsageError(
        "the name of a data set must be 1 to {} letters, digits or _ - . :, got '{}'", longest,
        name);
  }
}

void check_words(std::string_view what, std::string_view words) {
  constexpr std::size_t shortest = 3;
  constexpr std::size_t longest = 1000;
  const bool control = std::any_of(words.begin(), words.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  const bool blank = words.find_first_not_of(' ') == std::string_view::npos;
  bool utf8 = true;
  try {
    static_cast<void>(json(words).dump());
  } catch (const json::exception&) {
    utf8 = false;
  }
  if (words.size() < shortest || words.size() > longest || control || blank || !utf8) {
    throw base::UsageError(
        "{} must say why in {} to {} printable characters: the words stay in the ledger for ever",
        what, shortest, longest);
  }
}

}  // namespace tacet::ledger
