#include "tacet/local/protocol/messages.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::local {
namespace {

using nlohmann::ordered_json;

constexpr privacy::internal::JsonLimits message_limits{"answer of the server", 4096, 2};

struct Meaning {
  Reason reason;
  int status;
  const char* sentence;
};

constexpr Meaning meanings[] = {
    {Reason::counted, 200, "counted"},
    {Reason::slot, 200, "a place in the round"},
    {Reason::unknown_path, 404, "there is nothing here; the versions spoken are: v1"},
    {Reason::unknown_model, 404, "no model of the accepted rounds has this digest"},
    {Reason::wrong_method, 405, "this path takes another method"},
    {Reason::bad_request, 400, "not a request that is understood"},
    {Reason::missing_length, 411, "a body comes with its Content-Length and nothing else"},
    {Reason::wrong_length, 413, "a body of another length than this task's"},
    {Reason::wrong_type, 422, "the report's numbers are of another type than this task's"},
    {Reason::missing_token, 401, "a token is needed: Authorization: Bearer TOKEN"},
    {Reason::unknown_token, 401, "this token is none of the task's"},
    {Reason::cleartext_token, 403, "tokens are taken over HTTPS only"},
    {Reason::ended_token, 401, "this token was revoked, or has expired"},
    {Reason::used_token, 409, "another report was counted under this token"},
    {Reason::repeated_report, 409, "a report with this number was counted under another token"},
    {Reason::wrong_magic, 422, "not a report"},
    {Reason::wrong_version, 422, "a report of a version that is not spoken here"},
    {Reason::wrong_checksum, 422, "the report was damaged on its way"},
    {Reason::wrong_task, 422, "a report for another task"},
    {Reason::wrong_mechanism, 422, "a report by another mechanism than this task's"},
    {Reason::wrong_dimension, 422, "a report of another dimension than this task's"},
    {Reason::wrong_epsilon, 422, "a report at another epsilon than this task's"},
    {Reason::wrong_flags, 422, "a report with other flags than this task's"},
    {Reason::wrong_round, 422, "a report of a round that has not begun"},
    {Reason::wrong_model, 422, "a report at another model than its round's"},
    {Reason::zero_report, 422, "a report of zeros is no direction"},
    {Reason::too_late, 410, "the report's round is too long past"},
    {Reason::round_full, 503, "all places of this round are taken; come again"},
    {Reason::finished, 410, "the task has ended and takes no more reports"},
    {Reason::too_often, 429, "too many requests from this address; come again"},
    {Reason::busy, 503, "too much to do; come again"},
    {Reason::storage, 503, "nothing can be stored at the moment; come again"},
};

/// Codes are shown to a device's owner: nobody gets to say more there than a word.
bool is_code(std::string_view text) {
  constexpr std::size_t longest = 32;
  return text.size() <= longest && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// What a server sends is quoted nowhere: a device's owner would read its words as this program's.
ordered_json parse_answer(std::string_view text) {
  try {
    return privacy::internal::parse_strictly(text, message_limits);
  } catch (const base::DataError&) {
    throw base::DataError("{}: not the JSON of the protocol", message_limits.what);
  }
}

const Meaning& meaning_of(Reason reason) {
  for (const auto& meaning : meanings) {
    if (meaning.reason == reason) return meaning;
  }
  throw base::InternalError("a reason without a meaning");
}

}  // namespace

std::string slot_json(const Slot& slot) {
  return ordered_json{
      {"task", slot.task}, {"round", slot.round}, {"model", slot.model}, {"seconds", slot.seconds}}
      .dump();
}

Slot slot_from_json(std::string_view text) {
  const auto json = parse_answer(text);
  const auto refuse = [](const char* what) {
    throw base::DataError("answer of the server: {}", what);
  };
  const auto is_digest = [&](const char* key) {
    return json.contains(key) && json[key].is_string() &&
           ledger::is_digest(json[key].get_ref<const std::string&>());
  };
  if (!json.is_object() || json.size() != 4) refuse("a slot has four keys");
  if (!is_digest("task") || !is_digest("model")) refuse("a slot without its digests");
  for (const char* key : {"round", "seconds"}) {
    if (!json.contains(key) || !json[key].is_number_unsigned())
      refuse("a slot without its numbers");
  }
  Slot slot{json["task"], json["round"], json["model"], 0};
  const auto seconds = json["seconds"].get<std::uint64_t>();
  if (seconds > 86400) refuse("a slot of more than a day");
  slot.seconds = static_cast<std::int64_t>(seconds);
  return slot;
}

std::string counted_json() {
  return ordered_json{{"state", reason_names.of(Reason::counted)}}.dump();
}

bool says_counted(std::string_view text) {
  try {
    return parse_answer(text) == ordered_json{{"state", reason_names.of(Reason::counted)}};
  } catch (const base::DataError&) {
    return false;
  }
}

std::string error_json(Reason reason) {
  return ordered_json{{"error", reason_names.of(reason)}, {"message", meaning_of(reason).sentence}}
      .dump();
}

std::string error_code(std::string_view text) {
  try {
    const auto json = parse_answer(text);
    if (!json.is_object() || !json.contains("error") || !json["error"].is_string()) return {};
    auto code = json["error"].get<std::string>();
    return is_code(code) ? code : std::string();
  } catch (const base::DataError&) {
    return {};
  }
}

int http_status(Reason reason) { return meaning_of(reason).status; }

Reason reason_of(FrameFault fault) {
  const auto found = reason_names.find(frame_fault_names.of(fault));
  if (!found) throw base::InternalError("a fault that no answer has");
  return *found;
}

std::string model_bytes(std::span<const double> point) {
  std::string bytes;
  bytes.reserve(8 * point.size());
  for (const double x : point) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xff);
  }
  return bytes;
}

std::vector<double> model_from_bytes(std::string_view bytes, std::size_t dimension) {
  if (bytes.size() != 8 * dimension) {
    throw base::DataError("a model of {} bytes, where {} coordinates have {}", bytes.size(),
                          dimension, 8 * dimension);
  }
  std::vector<double> point(dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes[8 * j + i])} << (8 * i);
    }
    point[j] = std::bit_cast<double>(bits);
  }
  return point;
}

ModelMark model_mark(std::string_view digest) {
  ModelMark mark{};
  for (std::size_t i = 0; i < mark.size(); ++i) {
    std::from_chars(digest.data() + 2 * i, digest.data() + 2 * i + 2, mark[i], 16);
  }
  return mark;
}

}  // namespace tacet::local
