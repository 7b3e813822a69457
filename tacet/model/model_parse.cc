#include "tacet/model/model_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/model/json_text.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::model::internal {
namespace {

using nlohmann::json;
namespace limits = base::limits;

constexpr std::array<std::string_view, 3> long_lists{"features", "coefficients", "noise_stddevs"};

/// The key under which each open object or list stands; empty for an entry of a list.
class Path {
 public:
  /// `depth` counts the objects and lists around the key.
  void enter_key(std::size_t depth, const std::string& key) {
    keys_.resize(depth);
    keys_.back() = key;
  }
  void leave_to(std::size_t depth) { keys_.resize(depth); }
  [[nodiscard]] bool in_model() const { return !keys_.empty() && keys_[0] == "model"; }
  /// The name of the list that begins at this depth if it is one of `long_lists`; otherwise empty.
  [[nodiscard]] std::string_view long_list(std::size_t depth) const {
    if (depth != 2 || keys_.size() != 2 || keys_[0] != "model") return {};
    const auto* const found = std::ranges::find(long_lists, keys_[1]);
    return found == long_lists.end() ? std::string_view() : *found;
  }

 private:
  std::vector<std::string> keys_;
};

/// Refuses repeated keys, deep nesting and masses of values, of which the parser alone would make
/// something, and leaves the entries of long lists out.
class Watch {
 public:
  bool operator()(int signed_depth, json::parse_event_t event, const json& value) {
    using Event = json::parse_event_t;
    const auto depth = static_cast<std::size_t>(signed_depth);
    if (depth > limits::model_depth) {
      bad(fmt::format("nested more than {} levels deep", limits::model_depth));
    }
    if (inside_) {
      inside_ = event != Event::array_end || depth != 2;
      return !inside_;
    }
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        path_.leave_to(depth);
        count();
        if (event == Event::object_start) keys_.emplace_back();
        inside_ = event == Event::array_start && !path_.long_list(depth).empty();
        break;
      case Event::object_end:
        keys_.pop_back();
        break;
      case Event::key:
        add_key(depth, value.get_ref<const std::string&>());
        break;
      case Event::value:
        count();
        break;
      case Event::array_end:
        break;
    }
    return true;
  }

 private:
  void add_key(std::size_t depth, const std::string& key) {
    if (!keys_.back().insert(key).second) bad(fmt::format("the key '{}' appears twice", key));
    path_.enter_key(depth, key);
  }
  void count() {
    if (++values_ <= limits::model_values) return;
    bad(fmt::format("more than {} values beside the features and coefficients",
                    limits::model_values));
  }

  Path path_;
  std::vector<std::set<std::string>> keys_;
  std::int64_t values_ = 0;
  bool inside_ = false;  // a long list
};

/// The second pass: hands the entries of long lists on, and ends where the model does. A schema
/// with curves behind it has some megabytes.
class ListReader : public nlohmann::json_sax<json> {
 public:
  explicit ListReader(LinearModel& model)
      : model_(model),
        max_(model.features.size() * static_cast<std::size_t>(model.output_count())) {}

  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override { return take(value); }
  bool number_float(double value, const std::string& /*text*/) override { return take(value); }
  bool string(std::string& value) override { return list_.empty() || take(json(std::move(value))); }
  bool binary(json::binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return start(json::object()); }
  bool key(std::string& name) override {
    if (list_.empty()) path_.enter_key(depth_, name);
    return true;
  }
  bool end_object() override {
    end();
    return depth_ != 1 || !path_.in_model();
  }
  bool start_array(std::size_t /*size*/) override {
    if (list_.empty()) {
      path_.leave_to(depth_);
      list_ = path_.long_list(depth_);
      at_ = 0;
      ++depth_;
      return true;
    }
    return start(json::array());
  }
  bool end_array() override {
    if (!list_.empty() && list_ == long_lists[0] && at_ != model_.features.size()) {
      bad(fmt::format("model.features must hold the schema's {} names, got {}",
                      model_.features.size(), at_));
    }
    list_ = {};
    return end();
  }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    throw base::InternalError("a text was accepted once and refused the second time");
  }

 private:
  bool start(const json& container) {
    if (!list_.empty()) return take(container);
    path_.leave_to(depth_++);
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }

  bool take(const json& value) {
    if (list_.empty()) return true;
    if (list_ == long_lists[0]) {
      take_name(value);
    } else {
      take_number(value, list_ == long_lists[1] ? model_.coefficients : model_.noise_stddevs);
    }
    ++at_;
    return true;
  }

  void take_name(const json& value) const {
    if (!value.is_string()) {
      bad(fmt::format("model.features[{}] must be a text, got {}", at_, shown(value)));
    }
    const auto& given = value.get_ref<const std::string&>();
    if (at_ >= model_.features.size()) {
      bad(fmt::format("model.features must hold the schema's {} names, got more",
                      model_.features.size()));
    }
    if (const auto expected = model_.features[at_]; given != expected) {
      bad(fmt::format("model.features[{}] is '{}', but the schema says '{}'", at_, given,
                      expected));
    }
  }

  void take_number(const json& value, std::vector<double>& numbers) const {
    if (!value.is_number()) {
      bad(fmt::format("model.{}[{}] must be a finite number, got {}", list_, at_, shown(value)));
    }
    if (numbers.size() == max_) {
      bad(fmt::format("model.{} must hold {} numbers, got more", list_, max_));
    }
    numbers.push_back(value.get<double>());
  }

  LinearModel& model_;
  std::size_t max_;
  Path path_;
  std::size_t depth_ = 0;
  std::string_view list_;  // the long list that is being read; empty elsewhere
  std::size_t at_ = 0;
};

/// A text without the long plain strings that stand as values in it: the library reads a byte at a
/// time, which takes longer than all else of a model with megabytes of numbers as text. In the
/// place of each stands a name that no other string of the text can be.
class ShortText {
 public:
  /// Faulty texts are not told apart here; the library says what is wrong with the whole one.
  explicit ShortText(std::string_view text) {
    constexpr std::string_view mark = "\\u0000";
    if (text.find(mark) != std::string_view::npos) return;
    std::size_t kept = 0;  // how far the text has been copied
    for (auto quote = text.find('"'); quote != std::string_view::npos;) {
      const auto begin = quote + 1;
      const auto end = end_of_string(text, begin);
      if (end == std::string_view::npos) break;
      const auto found = text.substr(begin, end - begin);
      if (is_value(text, quote) && is_long_and_plain(found)) {
        text_ += text.substr(kept, begin - kept);
        text_ += fmt::format("{}{}", mark, taken_.size());
        taken_.push_back(found);
        kept = end;
      }
      quote = text.find('"', end + 1);
    }
    if (!taken_.empty()) text_ += text.substr(kept);
  }

  [[nodiscard]] bool shorter() const { return !taken_.empty(); }
  [[nodiscard]] std::string_view text() const { return text_; }

  void put_back(json& value) const {
    if (value.is_structured()) {
      for (auto& member : value) put_back(member);
    } else if (value.is_string()) {
      auto& string = value.get_ref<std::string&>();
      if (!string.starts_with('\0')) return;
      string = taken_[static_cast<std::size_t>(std::stoul(string.substr(1)))];
    }
  }

 private:
  /// The quote that has an even number of backslashes before it.
  static std::size_t end_of_string(std::string_view text, std::size_t place) {
    for (;; ++place) {
      place = text.find('"', place);
      if (place == std::string_view::npos) return place;
      const auto before = text.substr(0, place).find_last_not_of('\\');
      if ((place - before) % 2 == 1) return place;
    }
  }
  static bool is_value(std::string_view text, std::size_t quote) {
    const auto before = text.substr(0, quote).find_last_not_of(" \n");
    return before != std::string_view::npos && text[before] == ':';
  }

  std::string text_;
  std::vector<std::string_view> taken_;
};

json parsed(std::string_view text) {
  Watch watch;
  return json::parse(text.begin(), text.end(),
                     [&watch](int depth, json::parse_event_t event, json& value) {
                       return watch(depth, event, value);
                     });
}

/// The same value, parsed from the short text. Nothing if that gains nothing or is faulty, so that
/// a message counts the bytes of the whole text.
std::optional<json> parsed_quickly(std::string_view text) {
  const ShortText without(text);
  if (!without.shorter()) return std::nullopt;
  try {
    auto value = parsed(without.text());
    without.put_back(value);
    return value;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

json parse_outline(std::string_view text) {
  privacy::internal::refuse_zero_byte(text, "the model");
  try {
    auto quick = parsed_quickly(text);
    return quick ? std::move(*quick) : parsed(text);
  } catch (const json::parse_error& error) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') {
      bad("no model of tacet: a model file begins with '{'. The model comes first, then the "
          "records");
    }
    bad(
        fmt::format("not a complete JSON text (byte {}); the file was cut short or is no tacet "
                    "model",
                    error.byte));
  } catch (const json::out_of_range&) {
    bad("a number is too large for a double");
  }
}

void read_lists(std::string_view text, LinearModel& model) {
  model.coefficients.clear();
  model.noise_stddevs.clear();
  ListReader reader(model);
  static_cast<void>(json::sax_parse(text.begin(), text.end(), &reader));
}

std::string shown(const json& value) {
  constexpr std::size_t longest = 40;
  auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

void bad(const std::string& what) { throw base::DataError(what); }

}  // namespace tacet::model::internal
