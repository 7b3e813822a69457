#include "tacet/privacy/receipt_notes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/base/error.h"
#include "tacet/privacy/receipt.h"

namespace tacet::privacy {
namespace receipt_notes_test {

Receipt receipt_with(const ReceiptNotes& notes) {
  Receipt receipt;
  receipt.algorithm = "test";
  receipt.calibration = "tight";
  receipt.events = PureDp{1, Adjacency::add_remove};
  receipt.guarantee = {1, 0, Adjacency::add_remove};
  receipt.software_version = "0";
  receipt.notes = notes;
  return receipt;
}

TEST(ReceiptNotes, WhatWasSaidComesBack) {
  const ReceiptNotes notes{.data_set = "survey",
                           .purpose = "annual report, \"part 2\"",
                           .contact = "dpo@example.org",
                           .date = "2024-02-29",
                           .schema_sha256 = std::string(64, 'a')};
  const auto back = receipt_from_json(receipt_to_json(receipt_with(notes))).notes;
  EXPECT_EQ(back.data_set, notes.data_set);
  EXPECT_EQ(back.purpose, notes.purpose);
  EXPECT_EQ(back.contact, notes.contact);
  EXPECT_EQ(back.date, notes.date);
  EXPECT_EQ(back.schema_sha256, notes.schema_sha256);
}

TEST(ReceiptNotes, WhereNothingWasSaidNothingIsWritten) {
  EXPECT_EQ(receipt_to_json(receipt_with({})).find("notes"), std::string::npos);
  const auto json = receipt_to_json(receipt_with({.purpose = "test"}));
  EXPECT_NE(json.find("\"purpose\""), std::string::npos);
  EXPECT_EQ(json.find("contact"), std::string::npos);
}

TEST(ReceiptNotes, DaysThatNoCalendarHasAreRefused) {
  for (const auto* day : {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-04-31",
                          "2024-4-1", "20240401", "2024-04-01T00", "yesterday", "2024-04-00"}) {
    EXPECT_THROW(check_notes({.date = day}), base::UsageError) << day;
  }
  for (const auto* day : {"2000-02-29", "2024-12-31", "1999-01-01"}) {
    EXPECT_NO_THROW(check_notes({.date = day})) << day;
  }
}

TEST(ReceiptNotes, TextsAreShortAndPlain) {
  EXPECT_THROW(check_notes({.purpose = "two\nlines"}), base::UsageError);
  EXPECT_THROW(check_notes({.contact = "\x1b[2J"}), base::UsageError);
  EXPECT_THROW(check_notes({.contact = "\xff"}), base::UsageError);
  EXPECT_THROW(check_notes({.data_set = std::string(1001, 'a')}), base::UsageError);
  EXPECT_THROW(check_notes({.schema_sha256 = "abc"}), base::UsageError);
  EXPECT_THROW((void)notes_from_json({{"author", "x"}}), base::DataError);
  EXPECT_THROW((void)notes_from_json({{"purpose", 1}}), base::DataError);
  EXPECT_THROW((void)notes_from_json({{"schema_sha256", ""}}), base::DataError);
  EXPECT_THROW((void)notes_from_json(nlohmann::ordered_json::array()), base::DataError);
}

}  // namespace receipt_notes_test
}  // namespace tacet::privacy
