#include "tacet/report/markup/markup.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tests/support/hostile_names.h"

namespace tacet::report::markup_test {

/// References back to what they stand for.
std::string unescaped(std::string text) {
  const std::vector<std::pair<std::string, std::string>> references{
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [reference, meant] : references) {
    for (auto at = text.find(reference); at != std::string::npos;
         at = text.find(reference, at + meant.size())) {
      text.replace(at, reference.size(), meant);
    }
  }
  return text;
}

TEST(Markup, HostileNamesBecomeTextAndNothingElse) {
  const auto names = test::hostile_names();
  ASSERT_EQ(names.size(), 200U);
  for (const auto& name : names) {
    const auto text = escaped_text(name);
    EXPECT_EQ(text.find_first_of("<>\"'"), std::string::npos) << name.substr(0, 80);
    EXPECT_EQ(unescaped(text), base::printable(name)) << name.substr(0, 80);
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    const auto element = Markup().element(Tag::p, name, {{Name::aria_label, name}}).line_end();
    auto copy = element;
    EXPECT_EQ(std::move(copy).take(), "<p aria-label=\"" + text + "\">" + text + "</p>\n");
  }
}

TEST(Markup, AnElementThatIsNotTheInnermostCannotBeClosed) {
  Markup out;
  out.open(Tag::div).open(Tag::p);
  EXPECT_THROW(out.close(Tag::div), base::InternalError);
  EXPECT_THROW(static_cast<void>(std::move(out).take()), base::InternalError);
}

TEST(Markup, LinksStayOnThePageAndStylesHoldNoMarkup) {
  Markup out;
  EXPECT_THROW(out.open(Tag::a, {{Name::href, "https://example.org"}}), base::InternalError);
  EXPECT_THROW(out.open(Tag::a, {{Name::href, "javascript:alert(1)"}}), base::InternalError);
  EXPECT_THROW(out.style("p{}</style><p>"), base::InternalError);
}

}  // namespace tacet::report::markup_test
