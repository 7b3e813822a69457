#include "tacet/report/markup/markup.h"

#include <algorithm>
#include <array>

#include "tacet/base/error.h"
#include "tacet/base/text.h"

namespace tacet::report {
namespace {

constexpr std::array<std::string_view, 45> tag_names{
    "html",       "head",    "meta",    "title", "style",   "body",   "a",     "header", "nav",
    "main",       "footer",  "section", "h1",    "h2",      "h3",     "p",     "ul",     "li",
    "dl",         "dt",      "dd",      "div",   "span",    "strong", "code",  "pre",    "figure",
    "figcaption", "details", "summary", "table", "caption", "thead",  "tbody", "tr",     "th",
    "td",         "svg",     "desc",    "g",     "path",    "line",   "rect",  "circle", "text"};

constexpr std::array<std::string_view, 31> attribute_names{
    "lang",       "charset", "name",  "content", "http-equiv",
    "href",       "id",      "class", "role",    "scope",
    "tabindex",   "hidden",  "open",  "colspan", "aria-labelledby",
    "aria-label", "viewBox", "d",     "x",       "y",
    "x1",         "x2",      "y1",    "y2",      "cx",
    "cy",         "r",       "width", "height",  "fill-opacity",
    "text-anchor"};

}  // namespace

std::string_view to_string(Tag tag) { return tag_names.at(static_cast<std::size_t>(tag)); }

std::string_view to_string(Name name) { return attribute_names.at(static_cast<std::size_t>(name)); }

std::string escaped_text(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void Markup::write_tag(Tag tag, const Attributes& attributes) {
  out_ += '<';
  out_ += to_string(tag);
  for (const auto& [name, value] : attributes) {
    if (name == Name::href && !value.starts_with('#')) {
      throw base::InternalError("a report links to its own places only, not to '{}'", value);
    }
    out_ += ' ';
    out_ += to_string(name);
    out_ += "=\"";
    out_ += escaped_text(value);
    out_ += '"';
  }
  out_ += '>';
}

Markup& Markup::open(Tag tag, const Attributes& attributes) {
  write_tag(tag, attributes);
  open_.push_back(tag);
  return *this;
}

Markup& Markup::close(Tag tag) {
  if (open_.empty() || open_.back() != tag) {
    throw base::InternalError("<{}> is not the innermost open element", to_string(tag));
  }
  open_.pop_back();
  out_ += "</";
  out_ += to_string(tag);
  out_ += '>';
  return *this;
}

Markup& Markup::text(std::string_view text) {
  out_ += escaped_text(text);
  return *this;
}

Markup& Markup::element(Tag tag, std::string_view text, const Attributes& attributes) {
  return open(tag, attributes).text(text).close(tag);
}

Markup& Markup::empty(Tag tag, const Attributes& attributes) {
  write_tag(tag, attributes);
  if (tag == Tag::meta) return *this;  // has no end in HTML
  out_ += "</";
  out_ += to_string(tag);
  out_ += '>';
  return *this;
}

Markup& Markup::style(std::string_view sheet) {
  if (sheet.find('<') != std::string_view::npos) {
    throw base::InternalError("a style sheet may not hold markup");
  }
  open(Tag::style);
  out_ += sheet;
  return close(Tag::style);
}

Markup& Markup::line_end() {
  out_ += '\n';
  return *this;
}

std::string Markup::take() && {
  if (!open_.empty()) {
    throw base::InternalError("<{}> was never closed", to_string(open_.back()));
  }
  return std::move(out_);
}

}  // namespace tacet::report
