#include "tacet/base/spool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "tacet/base/error.h"
#include "tests/support/denied_calls.h"
#include "tests/support/temporary_folder.h"

namespace {

/// What this process sees as the kind of every file system; 0: what it is.
long pretended_file_system = 0;

}  // namespace

/// Stands in the place of the C library's, since no test can mount what lies on another machine.
extern "C" int fstatfs(int descriptor, struct statfs* found) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_fstatfs, descriptor, found));
  if (result == 0 && pretended_file_system != 0) found->f_type = pretended_file_system;
  return result;
}

namespace tacet::base {
namespace spool_test {

using test::TemporaryFolder;

constexpr std::size_t mebi = std::size_t{1} << 20;

/// Blocks that the files which this process holds open have on their disks, in bytes.
std::int64_t bytes_on_disk() {
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat found {};
    if (::stat(entry.path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (found.st_nlink == 0) bytes += std::int64_t{found.st_blocks} * 512;
  }
  return bytes;
}

/// The modes of open files without a name.
std::vector<mode_t> nameless_modes() {
  std::vector<mode_t> modes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat found {};
    if (::stat(entry.path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (found.st_nlink == 0) modes.push_back(found.st_mode & 07777U);
  }
  return modes;
}

TEST(Spool, HoldsArraysInAFileThatNobodyCanOpen) {
  const TemporaryFolder folder;
  const auto spool = Spool::in(folder.path());
  SpooledVector<std::int64_t> numbers(mebi, 7, spool);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_TRUE(is_empty(folder.path()));
  EXPECT_EQ(nameless_modes(), std::vector<mode_t>{0600});
  EXPECT_GE(bytes_on_disk(), static_cast<std::int64_t>(8 * mebi));
  for (std::size_t k = 0; k < numbers.size(); k += 1001) {
    ASSERT_EQ(numbers[k], static_cast<std::int64_t>(k));
  }
}

TEST(Spool, GivesTheDiskBackWhatIsForgotten) {
  const TemporaryFolder folder;
  const auto spool = Spool::in(folder.path());
  const auto before = bytes_on_disk();
  {
    SpooledVector<std::int64_t> numbers(mebi, 7, spool);
    SpooledVector<std::int64_t> others(mebi, 8, spool);
    SpooledVector<std::int64_t>(spool).swap(numbers);
    EXPECT_LT(bytes_on_disk() - before, static_cast<std::int64_t>(9 * mebi));
    EXPECT_EQ(others[mebi - 1], 8) << "what is still in use stays";
  }
  EXPECT_LT(bytes_on_disk() - before, static_cast<std::int64_t>(mebi));
}

TEST(Spool, SmallArraysStayInMemory) {
  const TemporaryFolder folder;
  const auto spool = Spool::in(folder.path());
  const auto before = bytes_on_disk();
  const SpooledVector<char> letters(Spool::smallest - 1, 'x', spool);
  EXPECT_EQ(bytes_on_disk(), before);
}

TEST(Spool, IsForSeveralThreads) {
  const TemporaryFolder folder;
  const auto spool = Spool::in(folder.path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 50; ++k) {
        const SpooledVector<int> numbers(mebi / 8 + static_cast<std::size_t>(k * 1000), t, spool);
        ASSERT_EQ(numbers.front(), t);
        ASSERT_EQ(numbers.back(), t);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// A disk that is full is an error which names the folder, never a signal at the first byte.
TEST(Spool, AFullDiskIsAnErrorWhereItIsAskedForRoom) {
  const TemporaryFolder folder;
  const auto child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3 * mebi, 3 * mebi};
    const auto spool = Spool::in(folder.path());
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    try {
      std::vector<SpooledVector<char>> blocks;
      for (int k = 0; k < 10; ++k) blocks.emplace_back(mebi, 'x', spool);
      ::_exit(3);
    } catch (const IoError& error) {
      ::_exit(std::string(error.what()).find(folder.path()) == std::string::npos ? 4 : 0);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Spool, RefusesFoldersInMemory) {
  try {
    static_cast<void>(Spool::in("/dev/shm"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("lie in memory"), std::string::npos) << error.what();
  }
}

TEST(Spool, RefusesFoldersOfOtherMachines) {
  const TemporaryFolder folder;
  for (const auto& [kind, name] : {std::pair{0x6969L, "NFS"}, std::pair{0xff534d42L, "CIFS"},
                                   std::pair{0x01021997L, "9P"}, std::pair{0x65735546L, "FUSE"}}) {
    pretended_file_system = kind;
    std::string said;
    try {
      static_cast<void>(Spool::in(folder.path()));
    } catch (const UsageError& error) {
      said = error.what();
    }
    pretended_file_system = 0;
    EXPECT_NE(said.find("another machine (" + std::string(name) + ")"), std::string::npos) << said;
  }
  EXPECT_TRUE(is_empty(folder.path()));
  EXPECT_NE(Spool::in(folder.path()), nullptr);
}

TEST(Spool, RefusesWhatIsNoFolderOrCannotBeWritten) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");
  EXPECT_THROW(static_cast<void>(Spool::in(file)), IoError);
  EXPECT_THROW(static_cast<void>(Spool::in(folder.path() / "missing")), IoError);
  const auto child = ::fork();
  if (child == 0) {
    std::filesystem::permissions(
        folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    if (!test::be_nobody()) ::_exit(2);
    try {
      static_cast<void>(Spool::in(folder.path()));
      ::_exit(3);
    } catch (const IoError&) {
      ::_exit(0);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// File systems without holes, and those whose files cannot be made without a name.
TEST(Spool, RefusesFileSystemsThatGiveNothingBack) {
  const TemporaryFolder folder;
  const auto child = ::fork();
  if (child == 0) {
    if (!test::deny_call(SYS_fallocate, EOPNOTSUPP)) ::_exit(2);
    try {
      static_cast<void>(Spool::in(folder.path()));
      ::_exit(3);
    } catch (const UsageError& error) {
      ::_exit(std::string(error.what()).find("give back") == std::string::npos ? 4 : 0);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(is_empty(folder.path()));
}

TEST(Spool, LeavesNothingWhenItsProcessIsKilled) {
  const TemporaryFolder folder;
  for (int k = 0; k < 20; ++k) {
    const auto child = ::fork();
    if (child == 0) {
      const auto spool = Spool::in(folder.path());
      for (;;) {
        const SpooledVector<int> numbers(mebi, 1, spool);
        if (numbers.back() != 1) ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + 700 * k));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(is_empty(folder.path())) << k;
  }
}

TEST(Spool, RecordsAreNotCountedAsPrivateMemory) {
  const TemporaryFolder folder;
  const auto child = ::fork();
  if (child == 0) {
    const auto spool = Spool::in(folder.path());
    const rlimit limit{64 * mebi, 64 * mebi};
    if (::setrlimit(RLIMIT_DATA, &limit) != 0) ::_exit(2);
    try {
      std::vector<SpooledVector<char>> blocks;
      for (int k = 0; k < 128; ++k) blocks.emplace_back(2 * mebi, static_cast<char>(k), spool);
      for (int k = 0; k < 128; ++k) {
        if (blocks[static_cast<std::size_t>(k)].back() != static_cast<char>(k)) ::_exit(3);
      }
      ::_exit(0);
    } catch (const std::exception&) {
      ::_exit(4);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace spool_test
}  // namespace tacet::base
