#include "tacet/data/owner/schema_draft.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/data/read/read_dataset.h"
#include "tests/support/data_sets.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace schema_draft_test {

using test::TemporaryFile;

TEST(SchemaDraft, TakesSeveralNumbersInAFieldForIds) {
  const TemporaryFile file(
      "basket,words,one,odd,y\n"
      "1;20;3,5 6 7,7,1;2,no\n"
      "4,8,8,3;x,yes\n"
      "9;10,9 10,9,4,no\n");
  const auto draft = draft_schema(file.path(), {.target = "y", .max_categories = 10});
  const auto& columns = draft.schema.columns;
  const auto& basket = std::get<IdsColumn>(columns[0].rule);
  EXPECT_EQ(basket.separator, ';');
  EXPECT_EQ(basket.max_ids, 3);
  EXPECT_EQ(std::get<IdsColumn>(columns[1].rule).separator, ' ');
  EXPECT_TRUE(std::holds_alternative<NumericColumn>(columns[2].rule));
  EXPECT_TRUE(std::holds_alternative<CategoricalColumn>(columns[3].rule));
  EXPECT_NE(draft.remarks.at("basket").find("count instead of bits"), std::string::npos);
}

TEST(SchemaDraft, SaysWhatTextsWouldHaveToBeToBeRead) {
  const TemporaryFile file(
      "clock,month,lab,change,weight,day,y\n"
      "8:30,2011-01,<0.5,(1.5),72 kg,20110131,Yes\n"
      "12:05,2011-02,0.7,2.5,80.5 kg,20110228,no\n"
      "23:59,2012-11,>9,0.5,61 kg,20121130,yes\n"
      "00:00,2012-12,1.5,(0.25),55 kg,20121231,NO\n");
  const auto draft =
      draft_schema(file.path(), {.target = "y", .format = guess_format(file.path())});
  const auto says = [&](const char* column, const char* words) {
    ASSERT_TRUE(draft.remarks.contains(column)) << column;
    EXPECT_NE(draft.remarks.at(column).find(words), std::string::npos) << draft.remarks.at(column);
  };
  says("clock", "Times or durations such as 8:30");
  says("month", "2011-01-01");
  says("lab", "such as <0.5");
  says("change", "such as (1.5)");
  says("weight", "symbols = [\"kg\"]");
  says("[target]", "taken for one");
  const auto& day = draft.schema.columns[5];
  EXPECT_TRUE(std::get<NumericColumn>(day.rule).date);
  EXPECT_EQ(day.spelling.date_format, "%Y%m%d");
  const auto& target = std::get<BinaryTarget>(draft.schema.target->rule);
  EXPECT_EQ(target.positive, (std::vector<std::string>{"Yes", "yes"}));
  EXPECT_EQ(target.negative, (std::vector<std::string>{"NO", "no"}));
}

TEST(SchemaDraft, NumbersOfEightDigitsAreDaysOnlyWhereAllAre) {
  const TemporaryFile file("amount,y\n20110131,1.5\n20111331,2.5\n");
  const auto draft =
      draft_schema(file.path(), {.target = "y", .format = guess_format(file.path())});
  EXPECT_FALSE(std::get<NumericColumn>(draft.schema.columns[0].rule).date);
}

TEST(SchemaDraft, FindsTypesBoundsAndCategories) {
  const TemporaryFile file(
      "age;town;note;code;gone;y\n"
      "17;Ghent;one two three four;a1;;no\n"
      "90.5;Lyon;five six seven eight;b2;;yes\n"
      "NA;Ghent;nine ten eleven twelve;c3;;no\n"
      "20;Ghent;a longer text than that;d4;;no\n");
  const FileFormat format = guess_format(file.path());
  EXPECT_EQ(format.separator, ';');
  EXPECT_TRUE(format.header);
  const Schema schema =
      draft_schema(file.path(), {.target = "y", .format = format, .max_categories = 3}).schema;
  ASSERT_EQ(schema.columns.size(), 5U);
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[0].rule).lower, 17);
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[0].rule).upper, 90.5);
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns[1].rule).categories,
            (std::vector<std::string>{"Ghent", "Lyon"}));
  EXPECT_TRUE(std::holds_alternative<TextColumn>(schema.columns[2].rule));
  EXPECT_TRUE(std::holds_alternative<HashedColumn>(schema.columns[3].rule));
  EXPECT_TRUE(schema.columns[4].ignored());
  EXPECT_EQ(std::get<BinaryTarget>(schema.target->rule).positive, std::vector<std::string>{"yes"});
  EXPECT_EQ(schema.public_row_count, 4);
  // The draft can be written, read and used.
  const Schema again = schema_from_toml(schema_to_toml(schema), "draft.toml");
  EXPECT_EQ(read_dataset(file.path(), again).rows(), 4);
}

TEST(SchemaDraft, NamesTheColumnsOfAFileWithoutHeader) {
  const TemporaryFile file("1,a\n2,b\n3,c\n");
  const FileFormat format = guess_format(file.path());
  EXPECT_FALSE(format.header);
  const Schema schema = draft_schema(file.path(), {.target = "column_2", .format = format}).schema;
  EXPECT_EQ(schema.target->class_count(), 3);
  EXPECT_EQ(schema.columns[0].name, "column_1");
}

TEST(SchemaDraft, RefusesWhatCannotBeATarget) {
  const TemporaryFile file("x,y\n1,a b\n2,a b\n");
  const auto draft = [&](const std::string& target) {
    return draft_schema(file.path(), {.target = target, .format = guess_format(file.path())})
        .schema;
  };
  EXPECT_THROW(static_cast<void>(draft("y")), base::DataError);
  EXPECT_THROW(static_cast<void>(draft("z")), base::DataError);
  EXPECT_NO_THROW(static_cast<void>(draft("x")));
  const TemporaryFile empty("x,y\n");
  EXPECT_THROW(static_cast<void>(draft_schema(empty.path(), {.target = "", .format = {}})),
               base::DataError);
}

TEST(SchemaDraft, TextThatIsNotUtf8IsHashed) {
  const TemporaryFile file("x,y\ncaf\xe9,1\nbar,2\n");
  const Schema schema = draft_schema(file.path(), {.target = "", .format = {}}).schema;
  EXPECT_TRUE(std::holds_alternative<HashedColumn>(schema.columns[0].rule));
  EXPECT_NO_THROW(static_cast<void>(schema_from_toml(schema_to_toml(schema), "draft.toml")));
}

TEST(SchemaDraft, DraftsTheBerkeleyAdmissions) {
  const auto file = test::source_file("data/berkeley1973.csv");
  const Schema schema =
      draft_schema(file, {.target = "admitted", .format = guess_format(file)}).schema;
  EXPECT_EQ(schema.public_row_count, 4526);
  EXPECT_EQ(schema.encoded_column_count(), 6 + 2 + 1);
}

TEST(SchemaCheck, CountsTheValuesThatTheSchemaMaps) {
  const TemporaryFile file(
      "x,c,y\n"
      "0.5,a,1\n"
      "7,b,1\n"
      "-1,?,0\n"
      ",z,maybe\n"
      "what,,0\n");
  const Schema schema = schema_from_toml(
      "missing=['','?']\n[target]\ncolumn='y'\npositive='1'\nnegative='0'\n"
      "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1\n"
      "[[column]]\nname='c'\nkind='categorical'\ncategories=['a','b','?']\n",
      "s.toml");
  const SchemaCheck check = check_values(file.path(), schema);
  EXPECT_EQ(check.rows, 5);
  ASSERT_EQ(check.columns.size(), 3U);
  const ColumnFaults& x = check.columns[0];
  EXPECT_EQ(x.missing, 1);
  EXPECT_EQ(x.unreadable, 1);
  EXPECT_EQ(x.below, 1);
  EXPECT_EQ(x.above, 1);
  EXPECT_EQ(x.first_line, 3);
  const ColumnFaults& c = check.columns[1];
  EXPECT_EQ(c.unknown, 1);
  EXPECT_EQ(c.missing, 1);
  EXPECT_EQ(c.first_line, 5);
  EXPECT_EQ(check.columns[2].unknown, 1);
}

TEST(SchemaCheck, TheShippedSchemasMapNothingInTheirSets) {
  for (const auto& [name, file] :
       {std::pair{"adult", "adult/adult.train.csv.gz"},
        std::pair{"bank_marketing", "bank_marketing/bank-additional-full.csv.gz"},
        std::pair{"medical_cost", "medical_cost/insurance.csv.gz"},
        std::pair{"german_credit", "german_credit/german.csv.gz"},
        std::pair{"bike_hour", "bike_hour/hour.csv.gz"},
        std::pair{"wine_quality", "wine_quality/winequality-white.csv.gz"},
        std::pair{"pima_diabetes", "pima_diabetes/pima-indians-diabetes.csv.gz"}}) {
    TACET_SKIP_WITHOUT_DATA(path, file);
    const SchemaCheck check = check_values(
        path, load_schema(test::source_file("data/schemas/" + std::string(name) + ".toml")));
    for (const ColumnFaults& faults : check.columns) {
      EXPECT_EQ(faults.unknown + faults.unreadable + faults.missing, 0)
          << name << " " << faults.column;
      // A few calls were repeated more often than the bound of bank_marketing's `campaign`.
      EXPECT_LE(faults.below + faults.above, 10) << name << " " << faults.column;
    }
  }
}

// What only a person knows is asked above the column.
TEST(SchemaDraft, RemarksAskWhatTheFileCannotSay) {
  std::string text = "id,person,rooms,flag,price,note,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(1000 + i) + ",p" + std::to_string(i) + "," + std::to_string(i % 5) +
            "," + std::to_string(i % 2) + "," + std::to_string(0.5 * (i % 30)) + "," +
            (i % 3 == 0 ? "?" : std::to_string(i % 4)) + "," + (i % 2 == 0 ? "yes" : "no") + "\n";
  }
  const TemporaryFile file(text);
  const auto draft = draft_schema(file.path(), {.target = "y", .format = {}});
  const auto has = [&](const char* column, const char* words) {
    const auto found = draft.remarks.find(column);
    ASSERT_NE(found, draft.remarks.end()) << column;
    EXPECT_NE(found->second.find(words), std::string::npos) << found->second;
  };
  has("id", "an identifier?");
  has("person", "several records? Then unit");
  has("rooms", "5 whole numbers: codes?");
  has("note", "? taken for a missing value.");
  EXPECT_EQ(draft.remarks.size(), 4U);
  const auto toml = schema_to_toml(draft.schema, draft.remarks);
  EXPECT_NE(toml.find("codes? Then kind = \"categorical\" with categories.\n[[column]]\nname = "
                      "\"rooms\""),
            std::string::npos);
  EXPECT_NE(toml.find("negative = [\"no\"]"), std::string::npos);
  EXPECT_EQ(schema_to_json(schema_from_toml(toml, "draft")), schema_to_json(draft.schema));
}

// What would be taken for something else without a word: it is said where the draft is made.
TEST(SchemaDraft, DoubtsAreNamed) {
  std::string text = "total,children,temperature,marked,lab,y\n";
  for (int i = 0; i < 60; ++i) {
    const auto number = std::to_string(i);
    text += (i == 59 ? "Sum" : number) + "," + std::to_string(i % 10 == 0 ? -9 : i % 4 + 1) + "," +
            std::to_string(i % 20 - 5) + ",'" + number + "," + (i < 30 ? ">" : "<") + number + "," +
            (i % 2 == 0   ? "TRUE"
             : i % 3 == 0 ? "true"
             : i % 5 == 0 ? "1"
                          : "0") +
            "\n";
  }
  const TemporaryFile file(text);
  const auto draft = draft_schema(file.path(), {.target = "y", .format = {}});
  EXPECT_EQ(draft.doubtful,
            (std::vector<std::string>{"total", "children", "marked", "lab", "[target]"}));
  const auto said = [&](const char* place, const char* words) {
    EXPECT_NE(draft.remarks.at(place).find(words), std::string::npos) << draft.remarks.at(place);
  };
  said("total", "59 numbers and one text, \"Sum\" in line 61");
  said("children", "Below 0 there is -9 alone: a code for a missing value?");
  said("marked", "symbols = [\"'\"]");
  said("lab", "Limits of a measurement");
  said("[target]", "\"TRUE\" and \"true\" are two classes: one?");
}

TEST(SchemaDraft, TheNegationIsNotThePositiveClass) {
  for (const auto& [yes, no] :
       {std::pair{"ja", "nein"}, {"Y", "N"}, {"1", "0"}, {"alive", "none"}}) {
    const TemporaryFile file(std::string("x,y\n1,") + yes + "\n2," + no + "\n");
    const auto schema = draft_schema(file.path(), {.target = "y", .format = {}}).schema;
    EXPECT_EQ(std::get<BinaryTarget>(schema.target->rule).positive, std::vector<std::string>{yes});
  }
}

TEST(SchemaDraft, EqualNumbersAreOneCategory) {
  const TemporaryFile file("x,y\n1,1\n2,1.0\n3,0\n4,0.0\n");
  const auto schema = draft_schema(file.path(), {.target = "y", .format = {}}).schema;
  EXPECT_EQ(std::get<BinaryTarget>(schema.target->rule).positive, std::vector<std::string>{"1"});
}

TEST(SchemaDraft, ANumberOfTheRecordIsIgnored) {
  std::string text = "Unnamed: 0,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i) + "," + std::to_string(3 * i) + "," + std::to_string(i % 2) + "\n";
  }
  const TemporaryFile file(text);
  const auto schema = draft_schema(file.path(), {.target = "y", .format = {}}).schema;
  EXPECT_TRUE(schema.columns[0].ignored());
  EXPECT_FALSE(schema.columns[1].ignored());
}

TEST(SchemaDraft, AnEmptyLastRecordIsASum) {
  std::string text = "a,b,c,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i % 10) + (i % 2 == 0 ? ",,1,0\n" : ",2,1,1\n");
  const auto doubtful = [](const std::string& all) {
    const TemporaryFile file(all);
    return draft_schema(file.path(), {.target = "y", .format = {}}).doubtful;
  };
  EXPECT_EQ(doubtful(text), std::vector<std::string>());
  EXPECT_EQ(doubtful(text + "9,,,\n"), (std::vector<std::string>{"[format]"}));
  EXPECT_EQ(doubtful(text + "9,,,\n8,,,\n"), (std::vector<std::string>{"[format]"}));
  EXPECT_EQ(doubtful(text + "780,,,\n"), (std::vector<std::string>{"a", "[format]"}));
  EXPECT_EQ(doubtful(text + "9,,,\n1,2,3,0\n"), std::vector<std::string>())
      << "others may lack as much";
}

TEST(SchemaDraft, ANumberBehindAnApostropheIsReadAsItsRemarkSays) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i)
    text += "'" + std::to_string(2 * i) + "," + std::to_string(i % 2) + "\n";
  const TemporaryFile file(text);
  const auto draft =
      draft_schema(file.path(), {.target = "y", .format = {}, .said = {.symbols = {"'"}}});
  EXPECT_EQ(std::get<NumericColumn>(draft.schema.columns[0].rule).upper, 118);
}

TEST(SchemaDraft, FindsDates) {
  const TemporaryFile file(
      "day,once,mixed,n,y\n2000-02-29,2001-01-01,2000-01-01,1.5,no\n"
      "1999-12-31,2001-01-01,soon,NA,yes\n1999-12-31,2001-01-01,soon,2.5,yes\n");
  const auto draft = draft_schema(file.path(), {.target = "y", .format = {}});
  const auto& day = std::get<NumericColumn>(draft.schema.columns[0].rule);
  EXPECT_TRUE(day.date);
  EXPECT_EQ(day.lower, 10956);
  EXPECT_EQ(day.upper, 11016);
  EXPECT_TRUE(draft.schema.columns[1].ignored());  // one value tells nothing
  EXPECT_TRUE(std::holds_alternative<CategoricalColumn>(draft.schema.columns[2].rule));
  EXPECT_NE(draft.remarks.at("n").find("missing_indicator"), std::string::npos);
  EXPECT_NE(schema_to_toml(draft.schema).find("upper = \"2000-02-29\""), std::string::npos);
}

}  // namespace schema_draft_test
}  // namespace tacet::data
