#include "tacet/ledger/entry.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace entry_test {

const std::string digest(64, '7');

std::vector<Entry> one_of_each() {
  constexpr auto adjacency = privacy::Adjacency::zero_out;
  const privacy::Event event = privacy::Repeated{3, privacy::Gaussian{0.1}};
  std::vector<Entry::Content> contents{
      Created{digest, digest, "0.1.0"},
      Enrolled{"adult", adjacency, "patient"},
      Aliased{"adult_1994", "adult"},
      RecordsSeen{"adult", {digest}, "data/adult \"1994\".csv", true},
      CapSet{"adult", {.currency = Currency::rdp, .value = 0.1, .order = 2.5}, "because"},
      Reserved{.data_set = "adult",
               .command = "train",
               .software = "0.1.0",
               .calibration = "paper",
               .event = event,
               .stated = {0.1, 1e-300, adjacency},
               .cost = {std::numeric_limits<double>::infinity(), 5e-324},
               .process = {12, 34, "boot"},
               .interactive = true,
               .override_reason = "words",
               .unprotected_reason = "seeded"},
      Committed{5, event, {0.3, 0}, digest, "model.json"},
      Committed{5, event, {0.3, 0}, digest, "model.json", 1e-20},
      Disclosed{5},
      Cancelled{5},
      Resolved{5, "nothing left"},
      Looked{"adult", "schema check", "bounds were typed by hand", digest},
      Looked{"adult", "evaluate", "a figure for the owner", ""},
      Looked{"adult", "evaluate", "taken over", "", "another ledger"},
      OtherLedger{"adult", digest, "/home/one.ledger", true, "the board allows it"},
      OtherLedger{"adult", digest, "/home/two.ledger", false, "the board allows it"}};
  std::vector<Entry> entries;
  for (auto& content : contents) {
    entries.push_back({"2026-01-31T12:00:00Z", 1000, std::move(content)});
  }
  return entries;
}

TEST(Entry, TextAndBackIsTheSameText) {
  for (const auto& entry : one_of_each()) {
    const auto text = to_text(entry);
    EXPECT_EQ(to_text(entry_from_text(text)), text);
  }
}

TEST(Entry, AmountsSurviveToTheLastBit) {
  const auto entry = entry_from_text(to_text(one_of_each()[5]));
  const auto& reserved = std::get<Reserved>(entry.content);
  EXPECT_EQ(reserved.stated.epsilon, 0.1);
  EXPECT_EQ(reserved.stated.delta, 1e-300);
  EXPECT_EQ(reserved.cost.value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(reserved.cost.delta, 5e-324);
}

TEST(Entry, AnythingElseIsRefused) {
  for (const auto& entry : one_of_each()) {
    const auto text = to_text(entry);
    EXPECT_THROW(static_cast<void>(entry_from_text(text + "x")), base::DataError);
    EXPECT_THROW(static_cast<void>(entry_from_text(text.substr(0, text.size() - 1))),
                 base::DataError);
    auto more = text;
    more.insert(1, R"("more":1,)");
    EXPECT_THROW(static_cast<void>(entry_from_text(more)), base::DataError);
    auto other = text;
    other.replace(other.find(R"("kind":")") + 8, 1, "X");
    EXPECT_THROW(static_cast<void>(entry_from_text(other)), base::DataError);
    auto anonymous = text;
    anonymous.replace(anonymous.find(R"("user")"), 6, R"("name")");
    EXPECT_THROW(static_cast<void>(entry_from_text(anonymous)), base::DataError);
  }
  for (const auto* text : {"", "[]", "null", "1", "{}", R"({"kind":1})"}) {
    EXPECT_THROW(static_cast<void>(entry_from_text(text)), base::DataError) << text;
  }
  for (const std::string amount : {"0x", "0x1p", "-0x1p+0", "1.5", "nan", "0x1p+5000", "0x1p+0 "}) {
    auto text = to_text(one_of_each()[6]);
    const std::string zero = R"("0x0p+0")";
    text.replace(text.find(zero), zero.size(), "\"" + amount + "\"");
    EXPECT_THROW(static_cast<void>(entry_from_text(text)), base::DataError) << amount;
  }
}

TEST(Words, MustSaySomethingReadable) {
  EXPECT_NO_THROW(check_words("x", "an d\xc3\xa9j\xc3\xa0 vu"));
  for (const std::string words : {"", "ab", "    ", "two\nlines", "\xff\xff\xff"}) {
    EXPECT_THROW(check_words("x", words), base::UsageError) << words;
  }
  EXPECT_THROW(check_words("x", std::string(1001, 'x')), base::UsageError);
}

}  // namespace entry_test
}  // namespace tacet::ledger
