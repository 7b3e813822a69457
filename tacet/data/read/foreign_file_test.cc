#include "tacet/data/read/foreign_file.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace foreign_file_test {

using namespace std::string_literals;

TEST(ForeignFile, OtherKindsAreNamedByTheirFirstBytes) {
  const auto has = [](const std::string& bytes, const std::string& words) {
    EXPECT_NE(foreign_kind(bytes).find(words), std::string::npos) << words;
  };
  has("PK\x03\x04\x14\0\x06"s, "spreadsheets (.xlsx, .ods)");
  has("PAR1\x15\x04\x15"s, "Parquet");
  has("ARROW1\0\0"s, "Arrow");
  has("\x89HDF\r\n\x1a\n"s, "HDF5");
  has("SQLite format 3\0\x10"s, "SQLite");
  has("\xff\xfe"
      "a\0g\0"s,
      "UTF-16");
  has("BZh91AY&SY\x01\x02"s, "bzip2");
  has("{\n \"format\": \"tacet-model\",\n"s, "a model of tacet");
  has("  {\"age\": 41}\n"s, "is JSON");
  has("name = \"people\"\npublic_row_count = 40\n"s, "a schema");
  has("[target]\ncolumn = \"y\"\n"s, "a schema");
}

TEST(ForeignFile, RecordsAreNotForeign) {
  for (const auto& bytes : {"age,town\n41,Bern\n"s, "PAR1,b\n1,2\n"s, "ORC,b\n1,2\n"s, "BZh,x\n"s,
                            "a = b,c\n1,2\n"s, ""s, "\n\n"s,
                            "\xef\xbb\xbf"
                            "age\n"s,
                            "\x93NUMPY\x01\0"s, "\0\0\x08\x03"s, "+1 3:1 5:1\n"s}) {
    EXPECT_EQ(foreign_kind(bytes), "") << bytes;
  }
}

}  // namespace foreign_file_test
}  // namespace tacet::data
