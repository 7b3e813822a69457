#include "tacet/ledger/marks.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tacet/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace {

TEST(Marks, AreReadBackAndReplacedByFile) {
  const test::ScratchFolder folder;
  EXPECT_TRUE(read_marks(folder.path()).empty());
  const Mark first{"a.csv", "adult", "budget.ledger", "1"};
  const Mark second{"b \"x\".csv", "bank", "/elsewhere/budget.ledger", "2"};
  add_mark(folder.path(), first);
  add_mark(folder.path(), second);
  EXPECT_EQ(read_marks(folder.path()), (std::vector<Mark>{first, second}));
  auto changed = first;
  changed.data_set = "adult2";
  add_mark(folder.path(), changed);
  EXPECT_EQ(read_marks(folder.path()), (std::vector<Mark>{second, changed}));
  EXPECT_EQ(ledger_path(folder.path(), first), folder.path() / "budget.ledger");
  EXPECT_EQ(ledger_path(folder.path(), second), "/elsewhere/budget.ledger");
}

TEST(Marks, ALedgerInTheFolderIsNamedSoThatBothCanMove) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "budget.ledger").close();
  EXPECT_EQ(path_for_mark(folder.path(), folder.path() / "budget.ledger"), "budget.ledger");
  EXPECT_TRUE(path_for_mark(folder.path(), "/dev/null").is_absolute());
}

TEST(Marks, WhatCannotBeUnderstoodIsNotTakenForNone) {
  const test::ScratchFolder folder;
  for (const auto* text : {"", "{}", "[]", "{\"marks\":[{}]}", "{\"marks\":[{\"file\":1}]}"}) {
    std::ofstream(folder.path() / marks_file_name) << text;
    EXPECT_THROW(static_cast<void>(read_marks(folder.path())), base::DataError) << text;
  }
}

}  // namespace
}  // namespace tacet::ledger
