#include "tacet/local/service/event_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tacet::local {
namespace event_log_test {

std::string line_of(LogFormat format, LogLevel level, std::string_view sentence,
                    const std::vector<EventLog::Field>& fields = {}) {
  std::string text;
  EventLog log(format, [&](LogLevel, std::string_view line) {
    text += line;
    return true;
  });
  log.note(level, "some_event", sentence, fields, EventLog::Clock::from_time_t(1'800'000'000));
  return text;
}

TEST(EventLogTest, TextIsALineForPeople) {
  EXPECT_EQ(line_of(LogFormat::text, LogLevel::info, "All is well", {{"count", 3}}),
            "2027-01-15T08:00:00Z All is well\n");
  EXPECT_EQ(line_of(LogFormat::text, LogLevel::warning, "Look here"),
            "2027-01-15T08:00:00Z warning: Look here\n");
  const auto text = line_of(LogFormat::text, LogLevel::error, "two\nlines\x1b[31m");
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line, whatever a message holds";
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(EventLogTest, JsonIsAnObjectALine) {
  const auto text = line_of(LogFormat::json, LogLevel::error, "a \"quoted\"\nname \xff",
                            {{"count", 3}, {"task", std::string("abc")}});
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["time"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(json["level"], "error");
  EXPECT_EQ(json["event"], "some_event");
  EXPECT_EQ(json["count"], 3);
  EXPECT_EQ(json["task"], "abc");
}

TEST(EventLogTest, LinesThatWereLostAreCountedWhenThereIsRoomAgain) {
  std::vector<std::string> lines;
  bool full = false;
  EventLog log(LogFormat::json, [&](LogLevel, std::string_view line) {
    if (!full) lines.emplace_back(line);
    return !full;
  });
  const auto note = [&](const char* event) { log.note(LogLevel::info, event, "So it is"); };
  const auto event = [&](std::size_t i) { return nlohmann::json::parse(lines.at(i))["event"]; };
  note("one");
  full = true;
  note("two");
  note("three");
  EXPECT_EQ(log.lost(), 2);
  full = false;
  note("four");
  note("five");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(event(1), "log_lines_lost");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["lines"], 2);
  EXPECT_EQ(event(2), "four");
  EXPECT_EQ(event(3), "five");
  full = true;
  note("six");
  full = false;
  note("seven");
  EXPECT_EQ(nlohmann::json::parse(lines.at(4))["lines"], 1);  // of the new ones alone
  EXPECT_EQ(log.lost(), 3);
}

}  // namespace event_log_test
}  // namespace tacet::local
