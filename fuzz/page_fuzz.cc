// Texts of others in a page and in its figures: the bytes, cut at line ends, are the names,
// sentences and numbers of a report. What comes out holds no element outside of the list, closes
// each one in its order, and is the same twice.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/report/page/page.h"
#include "tacet/report/text/numbers.h"
#include "tacet/report/text/text.h"

namespace page_fuzz {

namespace {

using namespace tacet::report;

constexpr std::string_view allowed[]{
    "html",       "head",    "meta",    "title", "style",   "body",   "a",     "header", "nav",
    "main",       "footer",  "section", "h1",    "h2",      "h3",     "p",     "ul",     "li",
    "dl",         "dt",      "dd",      "div",   "span",    "strong", "code",  "pre",    "figure",
    "figcaption", "details", "summary", "table", "caption", "thead",  "tbody", "tr",     "th",
    "td",         "svg",     "desc",    "g",     "path",    "line",   "rect",  "circle", "text"};

class Words {
 public:
  explicit Words(std::string_view bytes) : rest_(bytes) {}
  std::string next() {
    const auto end = std::min(rest_.find('\n'), rest_.size());
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  double number() {
    const auto word = next();
    return std::strtod(word.c_str(), nullptr);
  }

 private:
  std::string_view rest_;
};

Report report_of(Words words) {
  Plot curve{.title = words.next(), .x = {.label = words.next()}, .y = {.label = words.next()}};
  if (words.next() == "log") curve.y.scale = Scale::logarithmic;
  Line line{.points = {}, .label = words.next()};
  for (int k = 0; k < 3; ++k) line.points.push_back({words.number(), words.number()});
  curve.lines = {line};
  Plot levels{.title = words.next()};
  levels.levels = {words.next(), words.next()};
  levels.marks = {{.at = 0, .value = words.number(), .low = words.number(), .high = 1},
                  {.at = 1, .value = words.number()}};
  Plot heat{.title = words.next()};
  heat.heat = HeatMap{{words.next()}, {words.next(), words.next()}, {words.number(), 1}};
  const Table table{.caption = words.next(),
                    .header = {words.next(), ""},
                    .rows = {{words.next(), words.number()}}};
  Report report{words.next(), words.next(), words.next()};
  report.sections = {{"model",
                      words.next(),
                      {{Picture{"f", words.next(), words.next(), {curve, levels, heat}, table}},
                       {Answers{{{words.next(), words.next()}}}},
                       {Folded{words.next(), {{Code{words.next()}}}}}}}};
  return report;
}

bool sound(const std::string& page) {
  std::vector<std::string_view> open;
  for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    if (page[at + 1] == '!') continue;
    const bool end = page[at + 1] == '/';
    const auto first = at + (end ? 2 : 1);
    const auto close = page.find_first_of(" >", first);
    const auto name = std::string_view(page).substr(first, close - first);
    if (std::ranges::find(allowed, name) == std::end(allowed)) return false;
    if (name == "meta") continue;
    if (!end) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty() && std::ranges::count(page, '<') == std::ranges::count(page, '>');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Words words({reinterpret_cast<const char*>(data), size});
  const auto report = report_of(words);
  const auto page = report_page(report);
  if (!sound(page) || page != report_page(report)) std::abort();
  if (report_text(report).empty() || numbers_files(report).empty()) std::abort();
  return 0;
}

}  // namespace page_fuzz
