#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::model {

using TextSink = std::function<void(std::string_view)>;

/// Numbers as text (data/schema/number_text.h): megabytes in which nothing has to be escaped.
[[nodiscard]] bool is_long_and_plain(std::string_view text);

/// Writes one JSON value piece by piece, so that neither a tree nor the text of long lists is ever
/// in memory. The text is equal to that of nlohmann's dump(). Not for several threads at once.
class JsonText {
 public:
  enum class Layout {
    indented,  ///< one blank per level, keys in the given order
    canonical  ///< no blanks, keys sorted: equal values have equal texts
  };
  struct Member {
    std::string key;
    std::function<void(JsonText&)> write;
  };

  JsonText(Layout layout, TextSink sink);

  void object(std::vector<Member> members);
  void value(const nlohmann::json& value);
  void value(const nlohmann::ordered_json& value);
  void list(std::size_t count, const std::function<nlohmann::json(std::size_t)>& element);

  /// Writes out what is still buffered.
  void finish();

 private:
  void put(std::string_view text);
  void put_lines(std::string_view text);
  void put_canonical(const nlohmann::json& value);
  void line_break();
  [[nodiscard]] bool indented() const { return layout_ == Layout::indented; }

  Layout layout_;
  TextSink sink_;
  std::size_t depth_ = 0;
  std::string held_;
};

}  // namespace tacet::model
