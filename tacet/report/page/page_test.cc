#include "tacet/report/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tacet/report/text/numbers.h"
#include "tacet/report/text/text.h"
#include "tests/support/hostile_names.h"

namespace tacet::report::page_test {

/// One tag of a page.
struct Seen {
  std::string name;
  std::string attributes;
  bool end;
};

/// What stands between < and > is a tag: texts and attributes hold neither.
std::vector<Seen> tags_of(const std::string& page) {
  std::vector<Seen> out;
  for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    if (page[at + 1] == '!') continue;
    const bool end = page[at + 1] == '/';
    const auto first = at + (end ? 2 : 1);
    const auto close = page.find('>', at);
    const auto name_end = std::min(page.find(' ', at), close);
    out.push_back(
        {page.substr(first, name_end - first), page.substr(name_end, close - name_end), end});
  }
  return out;
}

/// Every < of the page belongs to a tag of the list, and every element is closed in its order.
void expect_sound(const std::string& page) {
  static const std::set<std::string> allowed{
      "html",       "head",    "meta",    "title", "style",   "body",   "a",     "header", "nav",
      "main",       "footer",  "section", "h1",    "h2",      "h3",     "p",     "ul",     "li",
      "dl",         "dt",      "dd",      "div",   "span",    "strong", "code",  "pre",    "figure",
      "figcaption", "details", "summary", "table", "caption", "thead",  "tbody", "tr",     "th",
      "td",         "svg",     "desc",    "g",     "path",    "line",   "rect",  "circle", "text"};
  const auto tags = tags_of(page);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(page, '<')), tags.size() + 1);  // doctype
  EXPECT_EQ(std::ranges::count(page, '<'), std::ranges::count(page, '>'));
  std::vector<std::string> open;
  for (const auto& tag : tags) {
    EXPECT_TRUE(allowed.contains(tag.name)) << tag.name;
    EXPECT_EQ(std::ranges::count(tag.attributes, '"') % 2, 0);
    if (tag.name == "meta") continue;
    if (!tag.end) {
      open.push_back(tag.name);
    } else {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.name);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

Report report_of(const std::string& name) {
  Plot plot{.title = name, .x = {.label = name}, .y = {.label = name}};
  plot.levels = {name, "b"};
  plot.marks = {{.at = 0, .value = 1, .low = 0.5, .high = 2}, {.at = 1, .value = 3}};
  Plot heat{.title = name, .x = {.label = name}};
  heat.heat = HeatMap{{name}, {name, "c"}, {1, -2}};
  const Table table{.caption = name,
                    .header = {name, "n"},
                    .rows = {{name, 1.5}, {std::string("x"), std::int64_t{7}}},
                    .depths = {0, 1}};
  const Picture picture{"figure-1", name, name, {plot, heat}, table};
  Report report{name, name, name};
  report.sections = {
      {"promise", "In a sentence", {{Answers{{{name, name}}}}, {Paragraph{name, Emphasis::bad}}}},
      {"model",
       "What the model says",
       {{Heading{name}},
        {Beside{{{picture}}}},
        {Folded{name, {{table}}}},
        {Points{{name}}},
        {Code{name}}}}};
  return report;
}

TEST(Page, HostileNamesShowAsText) {
  for (const auto& name : test::hostile_names()) {
    const auto page = report_page(report_of(name));
    expect_sound(page);
    if (HasFailure()) FAIL() << name.substr(0, 100);
  }
}

TEST(Page, AFragmentKeepsItsStyleAndItsNamesToItself) {
  for (const auto& name : test::hostile_names()) {
    const auto fragment = report_fragment(report_of(name));
    expect_sound("<!DOCTYPE html>" + fragment);
    if (HasFailure()) FAIL() << name.substr(0, 100);
  }
  const auto one = report_fragment(report_of("one"));
  EXPECT_TRUE(one.starts_with("<div class=\"tacet-report\"><style>.tacet-report{"));
  for (const auto* part : {"<html", "<body", "html{", "<main", "href="}) {
    EXPECT_EQ(one.find(part), std::string::npos) << part;
  }
  EXPECT_NE(one.find("class=\"banner\""), std::string::npos);
  // Two outputs of one notebook share no name.
  static const std::regex pattern(R"re( id="([^"]*)")re");
  const auto other = report_fragment(report_of("other"));
  for (std::sregex_iterator at(one.begin(), one.end(), pattern), end; at != end; ++at) {
    EXPECT_EQ(other.find(" id=\"" + (*at)[1].str() + "\""), std::string::npos) << (*at)[1];
  }
}

TEST(Page, TheSameReportIsTheSameBytes) {
  EXPECT_EQ(report_page(report_of("a")), report_page(report_of("a")));
}

TEST(Page, NoLineBreaksInsideANumber) {
  auto report = report_of("a");
  report.sections = {
      {"promise",
       "In a sentence",
       {{Paragraph{"At delta 1e-05, 95 % of 20 runs, 1.5e-300 % or x1e-3, e-5 and 7"}}}}};
  const auto page = report_page(report);
  EXPECT_NE(
      page.find("<p>At delta <span class=\"k\">1e-05</span>, <span class=\"k\">95 %</span> of 20 "
                "runs, <span class=\"k\">1.5e-300 %</span> or x<span "
                "class=\"k\">1e-3</span>, e-5 and 7</p>"),
      std::string::npos);
  EXPECT_NE(page.find(".k,td.n{white-space:nowrap}"), std::string::npos);
}

TEST(Page, ItHasALanguageAPolicyAndLandmarks) {
  const auto page = report_page(report_of("plain"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const auto* part :
       {"http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src "
        "&#39;unsafe-inline&#39;\"",
        "name=\"viewport\"", "<header>", "<nav aria-label=\"Sections\">", "<main id=\"report\"",
        "<footer>", "class=\"skip\" href=\"#report\"", "href=\"#model\"", "id=\"model\"",
        "class=\"banner\""}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const auto* part : {"<script", "http:", "https:", "src=", "url(", "@import"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

TEST(Page, TheBannerStandsOnEachPrintedPageAndCoversNothing) {
  const auto page = report_page(report_of("plain"));
  const auto print = page.substr(page.find("@media print"));
  EXPECT_NE(print.find(".banner{display:table-header-group"), std::string::npos);
  EXPECT_EQ(page.find("position:fixed"), std::string::npos);
}

TEST(Page, HeadingsGoDownOneLevelAtATime) {
  int level = 0;
  for (const auto& tag : tags_of(report_page(report_of("plain")))) {
    if (tag.end || tag.name.size() != 2 || tag.name[0] != 'h' || tag.name[1] > '3') continue;
    const int next = tag.name[1] - '0';
    EXPECT_LE(next, level + 1);
    level = next;
  }
  EXPECT_EQ(level, 3);
}

TEST(Page, NamesOfPlacesAreUnique) {
  const auto page = report_page(report_of("plain"));
  static const std::regex pattern(R"re( id="([^"]*)")re");
  std::set<std::string> seen;
  for (std::sregex_iterator at(page.begin(), page.end(), pattern), end; at != end; ++at) {
    EXPECT_TRUE(seen.insert((*at)[1]).second) << (*at)[1];
  }
  static const std::regex named(R"re( aria-labelledby="([^"]*)")re");
  for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at) {
    std::istringstream words((*at)[1]);
    for (std::string word; words >> word;) EXPECT_TRUE(seen.contains(word)) << word;
  }
}

TEST(Page, AColumnWithANumberAnywhereIsOneOfNumbers) {
  Report report{"t", "s"};
  report.sections = {{"cost",
                      "What it cost",
                      {{Table{.caption = "c",
                              .header = {"name", "value"},
                              .rows = {{std::string("a"), std::string("not identified")},
                                       {std::string("b"), 1.5}}}}}}};
  EXPECT_NE(report_page(report).find("<th scope=\"col\" class=\"n\">value</th>"),
            std::string::npos);
}

TEST(Page, OnlyWordsThatAreTooLongForAColumnAreBroken) {
  Report report{"t", "s"};
  const std::string longest(40, 'x');
  report.sections = {{"cost",
                      "What it cost",
                      {{Table{.caption = "c",
                              .header = {"when", "hash"},
                              .rows = {{std::string("2026-01-01T00:00:00Z"), longest}}}}}}};
  const auto page = report_page(report);
  EXPECT_NE(page.find("<td>2026-01-01T00:00:00Z</td>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"b\">" + longest), std::string::npos);
}

TEST(Page, EachFigureIsAnImageWithATitleASentenceAndItsNumbers) {
  const auto page = report_page(report_of("plain"));
  const auto begin = page.find("<figure>");
  const auto end = page.find("</figure>");
  ASSERT_NE(begin, std::string::npos);
  const auto figure = page.substr(begin, end - begin);
  for (const auto* part : {"role=\"img\"", "<title id=", "<desc id=", "<figcaption>", "<details>",
                           "<table>", "<caption>"}) {
    EXPECT_NE(figure.find(part), std::string::npos) << part;
  }
}

TEST(Page, TextAndNumbersSayTheSame) {
  const auto report = report_of("plain");
  const auto text = report_text(report);
  EXPECT_TRUE(text.starts_with("*** plain"));
  EXPECT_NE(text.find("== What the model says"), std::string::npos);
  const auto files = numbers_files(report);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "report.json");
  EXPECT_NE(files[0].text.find("\"version\": 1"), std::string::npos);
  EXPECT_EQ(files[1].name, "figure-1.csv");
  EXPECT_EQ(files[1].text, "plain,n\nplain,1.5\nx,7\n");
}

TEST(Page, NumbersOfHostileNamesAreReadBack) {
  auto report = report_of("a,\"b\"\nc");
  EXPECT_EQ(numbers_files(report)[1].text, "\"a,\"\"b\"\"\nc\",n\n\"a,\"\"b\"\"\nc\",1.5\nx,7\n");
}

}  // namespace tacet::report::page_test
