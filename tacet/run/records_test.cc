#include "tacet/run/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>

#include <string>
#include <string_view>
#include <vector>

#include "tacet/run/read_rows.h"
#include "tests/support/gzip.h"
#include "tests/support/npy_file.h"
#include "tests/support/temporary_folder.h"

namespace tacet::run {
namespace records_test {

const std::string mark = "\xef\xbb\xbf";
const std::string lines =
    "7,0.5,\"Rome, IT\",yes\n"
    "8,-2,Oslo,no\n"
    "1e3,0,,yes\n"
    "9007199254740993,0.25,Oslo,\"no\"\n";
const std::string table = "who,x,town,y\n" + lines;

class RecordsOfFiles : public testing::Test {
 protected:
  RecordsOfFiles() {
    ledger::Ledger::create(folder_.path() / "l.db");
    ledger_ = std::make_unique<ledger::Ledger>(folder_.path() / "l.db");
  }

  std::vector<std::string> all_of(const std::string& text, const std::string& name = "data.csv") {
    return fingerprints_of(*ledger_, folder_.write(name, text).string());
  }
  /// The last one: without the first line where that may be names.
  std::string of(const std::string& text, const std::string& name = "data.csv") {
    return all_of(text, name).back();
  }
  bool same(const std::string& one, const std::string& other) {
    const auto known = all_of(other);
    return std::ranges::any_of(all_of(one), [&](const std::string& fingerprint) {
      return std::ranges::find(known, fingerprint) != known.end();
    });
  }
  std::string of_memory(const Rows& rows, const std::string& schema) {
    auto fingerprint = ledger_->fingerprint();
    (void)dataset_of(rows, data::schema_from_toml(schema, "s.toml"), data::TargetUse::required,
                     {.fingerprint = &fingerprint});
    return fingerprint.digest();
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<ledger::Ledger> ledger_;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

TEST_F(RecordsOfFiles, AreTheSameHoweverATableIsWritten) {
  const auto expected = of(table);
  EXPECT_EQ(of(mark + table), expected);
  EXPECT_EQ(of(replaced(table, "\n", "\r\n")), expected);
  EXPECT_EQ(of(table.substr(0, table.size() - 1)), expected) << "no line end at the end";
  EXPECT_EQ(of(table + "\n"), expected);
  EXPECT_EQ(of(table + "\r\n\n\n"), expected);
  EXPECT_EQ(of(test::gzip(table), "data.csv.gz"), expected);
  EXPECT_EQ(of(test::gzip(table) + std::string(512, '\0')), expected);
  EXPECT_EQ(of("who,x,town,y\n8,-2,Oslo,no\n9007199254740993,0.25,Oslo,no\n"
               "7,0.5,\"Rome, IT\",yes\n1e3,0,,yes\n"),
            expected)
      << "another order";
  EXPECT_EQ(of("\"who\",\"x\",\"town\",\"y\"\n\"7\",\"0.5\",\"Rome, IT\",\"yes\"\n\"8\",\"-2\","
               "\"Oslo\",\"no\"\n\"1e3\",\"0\",\"\",\"yes\"\n\"9007199254740993\",\"0.25\","
               "\"Oslo\",\"no\"\n"),
            expected)
      << "quotes";
  EXPECT_EQ(of("who;x;town;y\n7;0.5;Rome, IT;yes\n8;-2;Oslo;no\n1e3;0;;yes\n"
               "9007199254740993;0.25;Oslo;no\n"),
            expected)
      << "another separator";
  EXPECT_EQ(of("a, b\n 1 , x\n2,\ty y \n"), of("a,b\n1,x\n2,y y\n")) << "blanks";
  EXPECT_EQ(of("who,x,town,y\n7.0,5e-1,\"Rome, IT\",yes\n+8,-2.00,Oslo,no\n1000,0.0,NA,yes\n"
               "9007199254740993.0,.25,Oslo,no\n"),
            expected)
      << "numbers and missing values spelt otherwise";
  EXPECT_EQ(of("y,town,id,value\nyes,\"Rome, IT\",7,0.5\nno,Oslo,8,-2\nyes,,1e3,0\n"
               "no,Oslo,9007199254740993,0.25\n"),
            expected)
      << "other names and another order of the columns";
  EXPECT_EQ(all_of(lines).front(), expected) << "no line of names";
}

// Nothing guesses whether the first line is a record.
TEST_F(RecordsOfFiles, AreKnownWhateverTheirFirstLineIs) {
  for (const std::string names :
       {"0,1,2,3\n", "x,x,x,x\n", ",,,\n", "Oslo,no,8,yes\n", "1,1,1,1\n"}) {
    EXPECT_TRUE(same(names + lines, table)) << names;
    EXPECT_TRUE(same(lines, names + lines)) << names;
    EXPECT_TRUE(same(lines + names, names + lines)) << "sorted with its names: " << names;
  }
  const std::string texts = "Ann,Rome\nBob,Oslo\nCid,Bern\n";
  EXPECT_TRUE(same("Cid,Bern\nBob,Oslo\nAnn,Rome\n", texts));
  EXPECT_TRUE(same("who,town\n" + texts, texts));
  EXPECT_FALSE(same("who,town\nAnn,Rome\nBob,Bern\nCid,Oslo\n", texts));
  EXPECT_FALSE(same("who,town\nAnn,Rome\n", "who,town\n"));
  EXPECT_FALSE(same("a\n1\n", "a\n2\n"));
}

TEST_F(RecordsOfFiles, AreKnownWithDecimalCommas) {
  EXPECT_TRUE(same("a;b;c\n1,5;2,25;x\n-0,5;3;y\n", "a,b,c\n1.5,2.25,x\n-0.5,3,y\n"));
  EXPECT_TRUE(same("1,5;2,25;3,5\n0,5;3,75;1,25\n", "a,b,c\n1.5,2.25,3.5\n0.5,3.75,1.25\n"));
  EXPECT_TRUE(same("1,5\t2\n0,5\t3\n", "1.5,2\n.5,3\n"));
  EXPECT_TRUE(same("\"1,5\",2\n\"0,5\",3\n", "1.5,2\n.5,3\n"));
  EXPECT_FALSE(same("a;b\n1,5;2\n", "a,b\n1.6,2\n"));
}

TEST_F(RecordsOfFiles, DifferByWholeNumbersThatShareADouble) {
  const std::string two = "a,b\n9007199254740992,1\n";
  EXPECT_FALSE(same("a,b\n9007199254740993,1\n", two));
  EXPECT_FALSE(same("a,b\n9007199000000000,1\n", two));
  EXPECT_TRUE(same("a,b\n9007199254740992.0,1\n", two));
  EXPECT_TRUE(same("a,b\n1.152921504606847e+18,1\n", "a,b\n1152921504606846976,1\n"));
  EXPECT_TRUE(same("a,b\n9007199254740993.0,1\n", "a,b\n+9007199254740993,1\n"));
  EXPECT_TRUE(same("a,b\n1e400,1\n", "a,b\n1" + std::string(400, '0') + ",1\n"));
  EXPECT_TRUE(same("a,b\n1e400,1\n", "a,b\ninf,1\n"));
}

TEST_F(RecordsOfFiles, AreOthersWithAnotherValueRecordOrColumn) {
  const auto expected = of(table);
  EXPECT_NE(of(replaced(table, "Oslo,no", "oslo,no")), expected);
  EXPECT_NE(of(replaced(table, "-2", "2")), expected);
  EXPECT_NE(of(table + "8,-2,Oslo,no\n"), expected);
  EXPECT_NE(of(table.substr(0, table.find("1e3"))), expected);
  EXPECT_NE(of("x,town,y\n0.5,\"Rome, IT\",yes\n-2,Oslo,no\n0,,yes\n0.25,Oslo,no\n"), expected);
  EXPECT_NE(of(replaced(table, "8,-2", "-2,8")), expected);
}

TEST_F(RecordsOfFiles, OfLinesAreKnownToo) {
  const std::string texts = "To be, or not\n\"quoted at the start\nand, some; more\n";
  EXPECT_EQ(of(mark + replaced(texts, "\n", "\r\n") + "\n"), of(texts));
  EXPECT_TRUE(same("and, some; more\nTo be, or not\n\"quoted at the start\n", texts));
  EXPECT_NE(of(texts + "x\n"), of(texts));
}

TEST_F(RecordsOfFiles, OfSparseFilesAndArraysAreThoseOfTheTable) {
  const auto expected = of("a,b,c,y\n1.5,0,2,1\n0,0.25,0,-1\n3,4,0,1\n");
  EXPECT_EQ(of("+1 1:1.5 3:2\n-1 2:0.25\n1 1:3 2:4\n", "data.svm"), expected);
  EXPECT_EQ(of(mark + "+1 2:2 0:1.50\r\n# a comment\n1 0:3 1:4\n-1 1:.25\n\n", "data.svm"),
            expected);
  folder_.write("data.labels.npy", test::npy_text<double>("<f8", "(3,)", {1, -1, 1}));
  const std::vector<double> values = {1.5, 0, 2, 0, 0.25, 0, 3, 4, 0};
  EXPECT_EQ(of(test::npy_text<double>("<f8", "(3, 3)", values), "data.npy"), expected);
  const std::vector<double> labels = {1, -1, 1};
  const std::string schema =
      "[features]\ncount=3\nlower=-1\nupper=2\n[target]\npositive='1'\nnegative='-1'\n"
      "[format]\nkind='npy'\n";
  EXPECT_EQ(of_memory(Matrix{values, 3, labels}, schema), expected);
}

TEST_F(RecordsOfFiles, OfSinglePrecisionAreThoseThatWereRounded) {
  const std::vector<float> values = {0.1F, 1e-5F, 123.456F, 3.0F};
  folder_.write("data.labels.npy", test::npy_text<double>("<f8", "(2,)", {1, 2}));
  EXPECT_EQ(of(test::npy_text<float>("<f4", "(2, 2)", values), "data.npy"),
            of("a,b,y\n0.1,1e-5,1\n123.456,3,2\n"));
}

// A schema that reads fewer columns hides nothing: records in memory are those of the file.
TEST_F(RecordsOfFiles, AreThoseInMemoryWhateverTheSchemaReads) {
  const std::vector<std::string> names{"town", "y", "who", "x"};
  const std::vector<std::vector<data::Value>> rows{
      {"Rome, IT", "yes", std::int64_t{7}, 0.5},
      {"Oslo", "no", 8.0, std::int64_t{-2}},
      {data::Missing{}, "yes", 1000.0F, false},
      {"Oslo", "no", std::int64_t{9007199254740993}, 0.25F}};
  std::size_t row = 0;
  const TypedRecords records{names, [&](std::span<data::Value> values) {
                               if (row == rows.size()) return false;
                               std::ranges::copy(rows[row++], values.begin());
                               return true;
                             }};
  EXPECT_EQ(of_memory(records,
                      "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1\n"
                      "[target]\ncolumn='y'\npositive='yes'\nnegative='no'\n"),
            of(table));
}

}  // namespace records_test
}  // namespace tacet::run
