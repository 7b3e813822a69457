#include "tacet/report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "tacet/base/sha256.h"
#include "tacet/report/figure/draw.h"
#include "tacet/report/json.h"
#include "tacet/report/markup/markup.h"
#include "tacet/report/page/style.h"
#include "tacet/report/text/cells.h"
#include "tacet/report/text/numbers.h"

namespace tacet::report {
namespace {

// The most rows of a picture's numbers on a page. Programs find all of them in the JSON.
constexpr std::size_t max_picture_rows = 300;

/// Whether a word has to be broken, so that its column does not become wider than a page.
bool has_long_word(std::string_view text) {
  constexpr std::size_t longest = 24;
  std::size_t letters = 0;
  for (const char c : text) {
    letters = c == ' ' ? 0 : letters + 1;
    if (letters > longest) return true;
  }
  return false;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the number that begins here ends, its sign of a hundredth included, if a line could break
/// inside of it: "1e-05", "95 %". The beginning otherwise.
std::size_t end_of_breakable(std::string_view text, std::size_t begin) {
  auto at = begin;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
  bool breakable = false;
  if (at + 2 < text.size() && text[at] == 'e' && text[at + 1] == '-' && is_digit(text[at + 2])) {
    breakable = true;
    for (at += 2; at < text.size() && is_digit(text[at]);) ++at;
  }
  if (text.substr(at).starts_with(" %")) return at + 2;
  return breakable ? at : begin;
}

class PageWriter {
 public:
  std::string page(const Report& report) {
    out_.open(Tag::html, {{Name::lang, "en"}}).line_end();
    write_head(report);
    out_.open(Tag::body, body_attributes(report));
    out_.element(Tag::a, "To the report", {{Name::class_, "skip"}, {Name::href, "#report"}});
    if (!report.banner.empty()) {
      out_.element(
          Tag::div, report.banner,
          {{Name::class_, "banner"}, {Name::role, "region"}, {Name::aria_label, "No protection"}});
    }
    out_.line_end().open(Tag::header).element(Tag::h1, report.title);
    if (!report.subtitle.empty()) {
      out_.element(Tag::p, report.subtitle, {{Name::class_, "quiet-text"}});
    }
    out_.close(Tag::header).line_end();
    write_contents(report);
    out_.open(Tag::main, {{Name::id, "report"}, {Name::tabindex, "-1"}}).line_end();
    for (const auto& section : report.sections) write_section(section);
    out_.close(Tag::main).line_end();
    out_.open(Tag::footer)
        .element(Tag::p, "Written by tacet. This page loads nothing and runs no script.",
                 {{Name::class_, "quiet-text"}})
        .close(Tag::footer);
    out_.close(Tag::body).close(Tag::html).line_end();
    return "<!DOCTYPE html>\n" + std::move(out_).take();
  }

  std::string fragment(const Report& report, const std::string& prefix) {
    prefix_ = prefix;
    out_.open(Tag::div, {{Name::class_, "tacet-report"}}).style(fragment_style());
    if (!report.banner.empty()) {
      out_.element(Tag::div, report.banner, {{Name::class_, "banner"}});
    }
    for (const auto& section : report.sections) write_section(section);
    out_.close(Tag::div);
    return std::move(out_).take();
  }

  void operator()(const Paragraph& block) {
    const auto emphasis = block.emphasis == Emphasis::bad    ? "bad"
                          : block.emphasis == Emphasis::good ? "good"
                                                             : "";
    prose(Tag::p, block.text,
          *emphasis != '\0' ? Attributes{{Name::class_, emphasis}} : Attributes{});
  }
  void operator()(const Heading& block) { out_.element(Tag::h3, block.text); }
  void operator()(const Answers& block) {
    out_.open(Tag::dl);
    for (const auto& [question, answer] : block.items) {
      out_.open(Tag::div).element(Tag::dt, question);
      prose(Tag::dd, answer);
      out_.close(Tag::div);
    }
    out_.close(Tag::dl);
  }
  void operator()(const Picture& block) {
    const auto id = fmt::format("{}f{}", prefix_, ++pictures_);
    out_.open(Tag::figure);
    out_.element(Tag::p, block.title, {{Name::class_, "figure-name"}});
    if (!block.plots.empty()) out_.open(Tag::div, {{Name::class_, "plots"}});
    for (std::size_t k = 0; k < block.plots.size(); ++k) {
      draw(block.plots[k], fmt::format("{}-{}", id, k + 1), block.finding, out_);
    }
    if (!block.plots.empty()) out_.close(Tag::div);
    prose(Tag::figcaption, block.finding);
    out_.open(Tag::details).element(Tag::summary, "Numbers: " + block.title);
    write_table(block.numbers, max_picture_rows);
    out_.close(Tag::details).close(Tag::figure);
  }
  void operator()(const Table& block) { write_table(block, block.rows.size()); }
  void operator()(const Code& block) {
    out_.open(Tag::pre, {{Name::tabindex, "0"}}).open(Tag::code);
    // Its lines are lines; all else is escaped as everywhere.
    std::size_t at = 0;
    while (at < block.text.size()) {
      const auto end = std::min(block.text.find('\n', at), block.text.size());
      out_.text(std::string_view(block.text).substr(at, end - at)).line_end();
      at = end + 1;
    }
    out_.close(Tag::code).close(Tag::pre);
  }
  void operator()(const Points& block) {
    out_.open(Tag::ul);
    for (const auto& item : block.items) prose(Tag::li, item);
    out_.close(Tag::ul);
  }
  void operator()(const Folded& block) {
    out_.open(Tag::details).element(Tag::summary, block.summary);
    write_blocks(block.blocks);
    out_.close(Tag::details);
  }
  void operator()(const Beside& block) {
    out_.open(Tag::div, {{Name::class_, "beside"}});
    write_blocks(block.blocks);
    out_.close(Tag::div);
  }

 private:
  /// An element of text whose numbers stay in one line.
  void prose(Tag tag, std::string_view text, const Attributes& attributes = {}) {
    out_.open(tag, attributes);
    std::size_t written = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!is_digit(text[at]) || (at > 0 && is_digit(text[at - 1]))) continue;
      const auto end = end_of_breakable(text, at);
      if (end == at) continue;
      out_.text(text.substr(written, at - written));
      out_.element(Tag::span, text.substr(at, end - at), {{Name::class_, "k"}});
      written = end;
      at = end - 1;
    }
    out_.text(text.substr(written)).close(tag);
  }

  static Attributes body_attributes(const Report& report) {
    if (report.banner.empty()) return {};
    return {{Name::class_, "with-banner"}};
  }

  void write_head(const Report& report) {
    out_.open(Tag::head);
    out_.empty(Tag::meta, {{Name::charset, "utf-8"}});
    out_.empty(Tag::meta, {{Name::http_equiv, "Content-Security-Policy"},
                           {Name::content, "default-src 'none'; style-src 'unsafe-inline'"}});
    out_.empty(Tag::meta,
               {{Name::name, "viewport"}, {Name::content, "width=device-width, initial-scale=1"}});
    out_.empty(Tag::meta, {{Name::name, "color-scheme"}, {Name::content, "light dark"}});
    out_.element(Tag::title, (report.banner.empty() ? "" : "NOT PROTECTED: ") + report.title);
    out_.style(page_style()).close(Tag::head).line_end();
  }

  void write_contents(const Report& report) {
    out_.open(Tag::nav, {{Name::aria_label, "Sections"}}).open(Tag::ul);
    for (const auto& section : report.sections) {
      out_.open(Tag::li)
          .element(Tag::a, section.title, {{Name::href, "#" + section.id}})
          .close(Tag::li);
    }
    out_.close(Tag::ul).close(Tag::nav).line_end();
  }

  void write_section(const Section& section) {
    const auto id = prefix_ + section.id;
    const auto title = id + "-title";
    out_.open(Tag::section, {{Name::id, id}, {Name::aria_labelledby, title}});
    out_.element(Tag::h2, section.title, {{Name::id, title}}).line_end();
    write_blocks(section.blocks);
    out_.close(Tag::section).line_end();
  }

  void write_blocks(const std::vector<Block>& blocks) {
    for (const auto& block : blocks) {
      std::visit(*this, block.content);
      out_.line_end();
    }
  }

  void write_table(const Table& table, std::size_t max) {
    // What scrolls has to be reached by keyboard, and is called by the name of its table.
    out_.open(Tag::div,
              {{Name::class_, "scroll"},
               {Name::tabindex, "0"},
               {Name::role, "region"},
               {Name::aria_label, fmt::format("{} (table {})", table.caption, ++tables_)}});
    out_.open(Tag::table).element(Tag::caption, table.caption);
    write_table_head(table);
    out_.open(Tag::tbody);
    const auto rows = std::min(max, table.rows.size());
    for (std::size_t k = 0; k < rows; ++k) {
      write_row(table.rows[k], table.depths.empty() ? 0 : table.depths[k]);
    }
    out_.close(Tag::tbody).close(Tag::table).close(Tag::div);
    if (rows < table.rows.size()) {
      out_.element(Tag::p, fmt::format("And {} rows more, which the numbers of this report have.",
                                       table.rows.size() - rows));
    }
  }

  void write_table_head(const Table& table) {
    const bool named =
        std::ranges::any_of(table.header, [](const auto& name) { return !name.empty(); });
    if (!named) return;
    out_.open(Tag::thead).open(Tag::tr);
    for (std::size_t k = 0; k < table.header.size(); ++k) {
      const bool number = std::ranges::any_of(
          table.rows, [k](const auto& row) { return k < row.size() && is_number(row[k]); });
      Attributes attributes{{Name::scope, "col"}};
      if (number) attributes.push_back({Name::class_, "n"});
      if (!number && has_long_word(table.header[k])) attributes.push_back({Name::class_, "b"});
      prose(Tag::th, table.header[k], attributes);
    }
    out_.close(Tag::tr).close(Tag::thead);
  }

  void write_row(const std::vector<Cell>& row, int depth) {
    out_.open(Tag::tr);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto text = cell_text(row[k]);
      // One attribute: a second one of the same name would not count.
      const std::string kind = is_number(row[k])     ? "n"
                               : k == 0 && depth > 0 ? fmt::format("d{}", std::min(depth, 4))
                               : has_long_word(text) ? "b"
                                                     : "";
      out_.element(Tag::td, text, kind.empty() ? Attributes{} : Attributes{{Name::class_, kind}});
    }
    out_.close(Tag::tr);
  }

  Markup out_;
  std::string prefix_;  ///< of the names of elements
  std::size_t pictures_ = 0;
  std::size_t tables_ = 0;
};

}  // namespace

std::string report_page(const Report& report) { return PageWriter().page(report); }

std::string report_fragment(const Report& report) {
  base::Sha256 sum;
  sum.add(json_text(report_json(report)));
  return PageWriter().fragment(report, "t" + sum.digest().substr(0, 12) + "-");
}

}  // namespace tacet::report
