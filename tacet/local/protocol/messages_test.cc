#include "tacet/local/protocol/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tacet/base/error.h"

namespace tacet::local {
namespace messages_test {

const std::string digest_a(64, 'a');
const std::string digest_b(64, 'b');

TEST(Messages, ASlotIsReadAsItWasWritten) {
  const Slot slot{digest_a, std::numeric_limits<std::uint64_t>::max(), digest_b, 60};
  EXPECT_EQ(slot_from_json(slot_json(slot)), slot);
}

TEST(Messages, NothingElseIsASlot) {
  const auto refused = [](const std::string& text) {
    EXPECT_THROW((void)slot_from_json(text), base::DataError) << text;
  };
  const auto right = slot_json({digest_a, 1, digest_b, 60});
  for (std::size_t size = 0; size < right.size(); ++size) refused(right.substr(0, size));
  refused("[]");
  refused(right + " {}");
  refused(R"({"task":")" + digest_a + R"(","round":-1,"model":")" + digest_b + R"(","seconds":1})");
  refused(R"({"task":")" + digest_a + R"(","round":1.5,"model":")" + digest_b +
          R"(","seconds":1})");
  refused(R"({"task":")" + digest_a + R"(","round":1,"model":"../x","seconds":1})");
  refused(R"({"task":")" + digest_a + R"(","round":1,"model":")" + digest_b +
          R"(","seconds":100000})");
  refused(R"({"task":")" + digest_a + R"(","round":1,"model":")" + digest_b +
          R"(","seconds":1,"more":1})");
  refused(std::string(100000, ' '));
}

TEST(Messages, NoWordOfAServerIsInWhatIsSaidOfItsAnswer) {
  for (const std::string text :
       {R"({"task": "call us at once)", R"({"call us at once": 1, "call us at once": 2})",
        "call us at once", "{\"task\": \"call us at once\x1b\"}"}) {
    try {
      static_cast<void>(slot_from_json(text));
      ADD_FAILURE() << text;
    } catch (const base::DataError& error) {
      EXPECT_EQ(std::string(error.what()).find("call"), std::string::npos) << error.what();
    }
  }
}

TEST(Messages, NothingElseSaysThatAReportCounts) {
  EXPECT_EQ(counted_json(), R"({"state":"counted"})");
  EXPECT_TRUE(says_counted(" { \"state\" : \"counted\" }\n"));
  for (const char* text :
       {"", "counted", "<html>counted</html>", "[\"counted\"]", R"({"state":"Counted"})",
        R"({"state":["counted"]})", R"({"error":"used_token"})", R"({"state":"counted")",
        R"({"state":"counted","error":"used_token"})",
        R"({"state":"counted","state":"counted"})"}) {
    EXPECT_FALSE(says_counted(text)) << text;
  }
}

TEST(Messages, EachReasonHasAnAnswer) {
  std::set<std::string> sentences;
  for (const auto& reason : reason_names.all) {
    const auto text = error_json(reason.value);
    EXPECT_EQ(error_code(text), reason.text);
    EXPECT_TRUE(sentences.insert(text).second);
    EXPECT_GE(http_status(reason.value), 200);
  }
  for (const auto& fault : frame_fault_names.all) {
    if (fault.value == FrameFault::none) continue;
    EXPECT_NO_THROW((void)reason_of(fault.value)) << fault.text;
  }
  EXPECT_EQ(error_code("no json"), "");
}

TEST(Messages, AModelKeepsEachBit) {
  const std::vector<double> point{0.0, -0.0, 1.0 / 3, std::numeric_limits<double>::infinity()};
  const auto bytes = model_bytes(point);
  EXPECT_EQ(bytes.size(), 32U);
  EXPECT_EQ(model_bytes(model_from_bytes(bytes, 4)), bytes);
  EXPECT_THROW((void)model_from_bytes(bytes, 3), base::DataError);
  EXPECT_EQ(model_mark("00ff" + std::string(60, '1'))[1], 0xff);
}

}  // namespace messages_test
}  // namespace tacet::local
