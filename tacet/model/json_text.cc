#include "tacet/model/json_text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace tacet::model {
namespace {

using nlohmann::json;

constexpr std::size_t piece_size = std::size_t{1} << 16;
constexpr std::size_t elements_at_once = 1024;

/// 0 for characters that a JSON string contains unescaped.
constexpr auto others_of_plain = [] {
  std::array<unsigned char, 256> others{};
  for (std::size_t c = 0; c < others.size(); ++c) {
    others[c] = c < ' ' || c > '~' || c == '"' || c == '\\' ? 1 : 0;
  }
  return others;
}();

}  // namespace

bool is_long_and_plain(std::string_view text) {
  constexpr std::size_t min = 4096;
  if (text.size() < min) return false;
  unsigned char others = 0;
  for (const char c : text) others |= others_of_plain[static_cast<unsigned char>(c)];
  return others == 0;
}

JsonText::JsonText(Layout layout, TextSink sink) : layout_(layout), sink_(std::move(sink)) {}

void JsonText::object(std::vector<Member> members) {
  if (!indented()) std::ranges::sort(members, {}, &Member::key);
  put("{");
  ++depth_;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (k > 0) put(",");
    line_break();
    put(json(members[k].key).dump());
    put(indented() ? ": " : ":");
    members[k].write(*this);
  }
  --depth_;
  line_break();
  put("}");
}

void JsonText::value(const json& value) {
  if (indented()) {
    put_lines(value.dump(1));
  } else {
    put_canonical(value);
  }
}

void JsonText::value(const nlohmann::ordered_json& value) {
  if (indented()) {
    put_lines(value.dump(1));
  } else {
    put_canonical(json(value));  // which sorts the keys
  }
}

void JsonText::put_canonical(const json& value) {
  if (value.is_object()) {
    const char* before = "{";
    for (const auto& [key, member] : value.items()) {
      put(before);
      put(json(key).dump());
      put(":");
      put_canonical(member);
      before = ",";
    }
    put(value.empty() ? "{}" : "}");
  } else if (value.is_string() && is_long_and_plain(value.get_ref<const std::string&>())) {
    put("\"");
    put(value.get_ref<const std::string&>());
    put("\"");
  } else {
    put_lines(value.dump());
  }
}

void JsonText::list(std::size_t count, const std::function<json(std::size_t)>& element) {
  put("[");
  for (std::size_t first = 0; first < count; first += elements_at_once) {
    auto elements = json::array();
    for (std::size_t k = first; k < std::min(count, first + elements_at_once); ++k) {
      elements.push_back(element(k));
    }
    const std::string text = elements.dump(indented() ? 1 : -1);
    if (first > 0) put(",");
    // Without the brackets, and the line break in front of the last one.
    put_lines(std::string_view(text).substr(1, text.size() - (indented() ? 3 : 2)));
  }
  if (count > 0) line_break();
  put("]");
}

void JsonText::finish() {
  if (!held_.empty()) sink_(held_);
  held_.clear();
}

void JsonText::put(std::string_view text) {
  if (text.size() >= piece_size) {
    finish();
    sink_(text);
    return;
  }
  held_ += text;
  if (held_.size() >= piece_size) finish();
}

/// Text that begins at the left margin, moved to the present depth. Strings hold no line breaks:
/// JSON escapes them.
void JsonText::put_lines(std::string_view text) {
  for (;;) {
    const auto end = text.find('\n');
    put(text.substr(0, end));
    if (end == std::string_view::npos) return;
    line_break();
    text.remove_prefix(end + 1);
  }
}

void JsonText::line_break() {
  if (!indented()) return;
  put("\n");
  put(std::string(depth_, ' '));
}

}  // namespace tacet::model
