#include "tacet/model/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tacet::model {
namespace {

using nlohmann::json;

constexpr std::size_t piece_size = std::size_t{1} << 16;
constexpr std::size_t elements_at_once = 1024;

}  // namespace

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

void JsonText::value(const json& value) { put_lines(value.dump(indented() ? 1 : -1)); }

void JsonText::value(const nlohmann::ordered_json& value) {
  // Parsing sorts the keys.
  put_lines(indented() ? value.dump(1) : json::parse(value.dump()).dump());
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
