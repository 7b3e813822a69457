#include "tacet/run/output.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tacet/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace {
namespace output_test {

TEST(FileOutput, TheFileIsThereOnlyAfterItAppeared) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "result";
  {
    FileOutput lost(path.string(), base::Overwrite::refuse);
    lost.write("never seen");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  FileOutput output(path.string(), base::Overwrite::refuse);
  output.write("seen");
  EXPECT_FALSE(std::filesystem::exists(path));
  output.appear();
  EXPECT_EQ(base::read_file(path, 100), "seen");
}

TEST(FileOutput, AnExistingFileIsRefusedBeforeAnythingIsWritten) {
  const test::ScratchFolder folder;
  const auto path = (folder.path() / "result").string();
  base::write_file(path, "old", base::Overwrite::refuse);
  EXPECT_THROW(FileOutput(path, base::Overwrite::refuse), base::IoError);
}

}  // namespace output_test
}  // namespace
}  // namespace tacet::run
