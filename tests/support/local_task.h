#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacet/local/protocol/messages.h"
#include "tacet/local/protocol/task.h"
#include "tacet/local/service/collector.h"

/// A small task for tests, and reports of devices that say anything.
namespace tacet::test {

inline const char* const people_schema = R"(
  name = "people"
  public_row_count = 40
  [target]
  column = "bought"
  positive = "yes"
  negative = "no"
  [[column]]
  name = "age"
  kind = "numeric"
  lower = 0
  upper = 100
  [[column]]
  name = "town"
  kind = "categorical"
  categories = ["Bern", "Basel"]
)";

inline local::Task small_task(local::TaskTerms terms = {}, learn::OptionValues more = {}) {
  learn::OptionValues values{{"epsilon", "4"}, {"batch-size", "4"}};
  for (auto& [name, value] : more) values[name] = value;
  return local::make_task(data::schema_from_toml(people_schema, "people.toml"), values, terms);
}

/// What a device with this number would send for the slot: other numbers, other bytes.
inline std::string any_report(const local::Task& task, const local::Slot& slot,
                              std::uint64_t number) {
  local::Frame frame{.round = slot.round,
                     .model = local::model_mark(slot.model),
                     .report_id = number * 0x9e3779b97f4a7c15 + 1,
                     .report = {}};
  std::uint64_t state = number + 12345;
  for (std::uint32_t i = 0; i < task.layout.coordinates; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    frame.report.coordinates.push_back(static_cast<std::int32_t>(state >> 32) / 4 + 1);
  }
  return local::frame_bytes(frame, task.layout);
}

/// Bytes of a frame with the checksum that they have. Slow: a bit at a time.
inline std::string with_checksum(std::string bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(~sum >> (8 * i) & 0xff);
  return bytes;
}

inline local::Application slot_of(const local::TokenMac& mac) {
  local::Application application;
  application.mac = mac;
  return application;
}

inline local::Application report_of(const local::Task& task, const local::TokenMac& mac,
                                    std::string bytes) {
  local::Application application;
  application.mac = mac;
  application.bytes = std::move(bytes);
  if (local::read_frame(application.bytes, task.layout, application.frame) !=
      local::FrameFault::none) {
    throw base::InternalError("a test's report is none");
  }
  return application;
}

/// One by itself; its reason.
inline local::Reason handle_one(local::Collector& collector, local::Application& application,
                                std::int64_t now) {
  local::Application* one = &application;
  static_cast<void>(collector.handle({&one, 1}, now));
  return application.reason;
}

/// A device's whole part: a slot, then a report.
inline local::Reason take_part(local::Collector& collector, const local::TokenMac& mac,
                               std::uint64_t number, std::int64_t now) {
  auto asked = slot_of(mac);
  if (handle_one(collector, asked, now) != local::Reason::slot) return asked.reason;
  auto sent = report_of(collector.task(), mac, any_report(collector.task(), *asked.slot, number));
  return handle_one(collector, sent, now);
}

}  // namespace tacet::test
