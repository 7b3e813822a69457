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
  has("ARROW1\0\0"s, "pyarrow.feather");
  has("Obj\x01\x04\x14"s, "read_avro");
  has("\x89HDF\r\n\x1a\n"s, "HDF5");
  has("SQLite format 3\0\x10"s, "SQLite");
  has("\xff\xfe"
      "a\0g\0"s,
      "UTF-16");
  has("BZh91AY&SY\x01\x02"s, "bzip2");
  has("{\n \"format\": \"tacet-model\",\n"s, "a model of tacet");
  has("<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>\x03\0"s, "Stata");
  has("$FL2@(#) IBM SPSS STATISTICS DATA FILE\x02\0\0\0"s, "SPSS");
  has(std::string(12, '\0') + "\xc2\xea\x81\x60\xb3\x14"s, "SAS file");
  has("HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!"s, "SAS transport");
  has("X\n\0\0\0\x03\0\x04"s, "R object");
  has("7z\xbc\xaf\x27\x1c\0\x04"s, "7z");
  has("<!DOCTYPE HTML>\n<html>"s, "web page");
  has("<?xml version='1.0'?>\n<data>"s, "XML");
  has("  {\"age\": 41}\n"s, "is JSON");
  has("name = \"people\"\npublic_row_count = 40\n"s, "a schema");
  has("[target]\ncolumn = \"y\"\n"s, "a schema");
}

TEST(ForeignFile, RecordsAreNotForeign) {
  for (const auto& bytes :
       {"age,town\n41,Bern\n"s, "PAR1,b\n1,2\n"s, "ORC,b\n1,2\n"s, "BZh,x\n"s, "<5,b\n1,2\n"s,
        "X,b\n1,2\n"s, "7z,b\n1,2\n"s, "RDX2,b\n1,2\n"s, "a = b,c\n1,2\n"s, ""s, "\n\n"s,
        "\xef\xbb\xbf"
        "age\n"s,
        "\x93NUMPY\x01\0"s, "\0\0\x08\x03"s, "+1 3:1 5:1\n"s}) {
    EXPECT_EQ(foreign_kind(bytes), "") << bytes;
  }
}

}  // namespace foreign_file_test
}  // namespace tacet::data
