#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTML and SVG as they are built, so that text of others never becomes markup.
namespace tacet::report {

/// Every element that a report may hold. There is no script, image, frame, form or link to another
/// place among them.
enum class Tag {
  html,
  head,
  meta,
  title,
  style,
  body,
  a,
  header,
  nav,
  main,
  footer,
  section,
  h1,
  h2,
  h3,
  p,
  ul,
  li,
  dl,
  dt,
  dd,
  div,
  span,
  strong,
  code,
  pre,
  figure,
  figcaption,
  details,
  summary,
  table,
  caption,
  thead,
  tbody,
  tr,
  th,
  td,
  svg,
  desc,
  g,
  path,
  line,
  rect,
  circle,
  text
};
[[nodiscard]] std::string_view to_string(Tag tag);

/// Every attribute that an element may have.
enum class Name {
  lang,
  charset,
  name,
  content,
  http_equiv,
  href,
  id,
  class_,
  role,
  scope,
  tabindex,
  hidden,
  open,
  colspan,
  aria_labelledby,
  aria_label,
  viewBox,
  d,
  x,
  y,
  x1,
  x2,
  y1,
  y2,
  cx,
  cy,
  r,
  width,
  height,
  fill_opacity,
  text_anchor
};
[[nodiscard]] std::string_view to_string(Name name);

/// An attribute and its value, which is escaped.
struct Attribute {
  Name name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

/// Text made safe to stand in an element or in a quoted attribute: the five characters of markup
/// become references, and what would act on a reader unseen is written out (base::printable).
[[nodiscard]] std::string escaped_text(std::string_view text);

/// Builds a text of elements, each of which is closed before its parent. Errors of nesting, a link
/// that leaves the page, and a style that could end its element are InternalErrors.
class Markup {
 public:
  Markup& open(Tag tag, const Attributes& attributes = {});
  /// Closes the innermost open element, which has to be this one.
  Markup& close(Tag tag);
  Markup& text(std::string_view text);
  /// An element that holds this text alone.
  Markup& element(Tag tag, std::string_view text, const Attributes& attributes = {});
  /// An element that has no content.
  Markup& empty(Tag tag, const Attributes& attributes = {});
  /// The style sheet of the page: a constant of the program, never a text of others.
  Markup& style(std::string_view sheet);
  /// A line end, which says nothing.
  Markup& line_end();

  /// Everything that was built; all elements have to be closed.
  [[nodiscard]] std::string take() &&;

 private:
  void write_tag(Tag tag, const Attributes& attributes);

  std::string out_;
  std::vector<Tag> open_;
};

}  // namespace tacet::report
