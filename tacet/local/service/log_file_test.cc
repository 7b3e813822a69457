#include "tacet/local/service/log_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace log_file_test {

constexpr std::int64_t most = 10000;

TEST(LogFileTest, IsOpenedAgainWhereItWasRenamed) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "log";
  LogFile log(path.string());
  EXPECT_TRUE(log.write("one\n"));
  std::filesystem::rename(path, folder.path() / "log.1");
  EXPECT_TRUE(log.write("two\n"));
  log.open_again();
  EXPECT_TRUE(log.write("three\n"));
  EXPECT_EQ(base::read_file(folder.path() / "log.1", most), "one\ntwo\n");
  EXPECT_EQ(base::read_file(path, most), "three\n");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THROW(log.open_again(), base::IoError);
  EXPECT_THROW(LogFile(path.string()), base::IoError);
}

// As on a full disk: the file may grow no more, and then it may again.
TEST(LogFileTest, ALineThatWasCutIsSaidAndEndsWhereTheNextOneBegins) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "log";
  EXPECT_EQ(test::exit_code_of(test::in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const auto room = [](rlim_t bytes) {
                const rlimit limit{bytes, RLIM_INFINITY};
                return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
              };
              LogFile log(path.string());
              if (!room(6) || !log.write("one\n")) return 1;
              if (log.write("second\n")) return 2;  // two bytes of it
              if (log.write("third\n")) return 3;
              if (!room(RLIM_INFINITY) || !log.write("fourth\n")) return 4;
              return base::read_file(path, most) == "one\nse\nfourth\n" ? 0 : 5;
            })),
            0);
}

}  // namespace log_file_test
}  // namespace tacet::local
