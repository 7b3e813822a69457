#include "tacet/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::base {
namespace atomic_file_test {

namespace fs = std::filesystem;

constexpr std::int64_t size_limit = 1 << 20;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tacet-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  [[nodiscard]] fs::path file(const char* name) const { return folder_ / name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

template <typename Action>
std::string io_error_of(Action action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no IoError";
}

TEST_F(AtomicFileTest, NothingHasTheNameBeforeCommit) {
  AtomicFile output(file("a"), Overwrite::refuse);
  output.write("one ");
  EXPECT_FALSE(fs::exists(file("a")));
  output.write("two");
  output.commit();
  EXPECT_EQ(read_file(file("a"), size_limit), "one two");
  EXPECT_EQ(entries(), 1U);
}

// A process can be killed at any moment; what it had written must not be there to be used.
TEST_F(AtomicFileTest, NothingIsInTheFolderBeforeCommit) {
  for (const auto overwrite : {Overwrite::refuse, Overwrite::allow}) {
    const pid_t child = ::fork();
    if (child == 0) {
      AtomicFile output(file("a"), overwrite);
      output.write(std::string(100000, 'x'));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(entries(), 0U);
  }
}

/// From now on this process gets no unnamed files, as on a file system that has none.
bool forbid_unnamed_files() {
  constexpr auto flags = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 2 * 8);
  constexpr auto unnamed = static_cast<std::uint32_t>(O_TMPFILE);
  std::array<sock_filter, 7> rules{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, unnamed),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unnamed, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
  }};
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(AtomicFileTest, WithoutUnnamedFilesATemporaryNameServes) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!forbid_unnamed_files()) ::_exit(2);
    {
      AtomicFile output(file("a"), Overwrite::refuse);
      output.write("one");
      if (entries() != 1 || fs::exists(file("a"))) ::_exit(3);
      output.commit();
    }
    if (entries() != 1 || read_file(file("a"), size_limit) != "one") ::_exit(4);
    { AtomicFile(file("a"), Overwrite::allow).write("lost"); }
    if (entries() != 1) ::_exit(5);
    write_file(file("a"), "two", Overwrite::allow);
    if (entries() != 1 || read_file(file("a"), size_limit) != "two") ::_exit(6);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(AtomicFileTest, ACopyIsReadableByNobodyWhoMayNotReadTheSource) {
  for (const mode_t mode : {0600U, 0640U, 0664U}) {
    const auto source = folder_ / "source";
    write_file(source, "text", Overwrite::allow);
    ASSERT_EQ(::chmod(source.c_str(), mode), 0);
    AtomicFile copy(folder_ / "copy", Overwrite::allow);
    copy.keep_as_private_as(source);
    copy.commit();
    struct stat status {};
    ASSERT_EQ(::stat((folder_ / "copy").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777 & ~mode, 0U) << mode;
    fs::remove(folder_ / "copy");
  }
}

TEST_F(AtomicFileTest, AnObjectThatEndsEarlyLeavesNothing) {
  { AtomicFile(file("a"), Overwrite::refuse).write("lost"); }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(AtomicFileTest, AnObjectThatEndsEarlyKeepsTheOldContent) {
  write_file(file("a"), "old", Overwrite::refuse);
  { AtomicFile(file("a"), Overwrite::allow).write("lost"); }
  EXPECT_EQ(read_file(file("a"), size_limit), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, MovedFromObjectsOwnNothing) {
  AtomicFile first(file("a"), Overwrite::refuse);
  first.write("x");
  AtomicFile second(std::move(first));
  second.write("y");
  second.commit();
  EXPECT_EQ(read_file(file("a"), size_limit), "xy");
}

TEST_F(AtomicFileTest, ExistingFilesAreKeptUnlessOverwritingIsAllowed) {
  write_file(file("a"), "old", Overwrite::refuse);
  const auto text = io_error_of([&] { write_file(file("a"), "new", Overwrite::refuse); });
  EXPECT_NE(text.find("File exists"), std::string::npos) << text;
  EXPECT_EQ(read_file(file("a"), size_limit), "old");
  write_file(file("a"), "new", Overwrite::allow);
  EXPECT_EQ(read_file(file("a"), size_limit), "new");
}

TEST_F(AtomicFileTest, AFileThatAppearsMeanwhileIsNotReplaced) {
  AtomicFile output(file("a"), Overwrite::refuse);
  output.write("late");
  write_file(file("a"), "early", Overwrite::refuse);
  EXPECT_NE(io_error_of([&] { output.commit(); }).find("File exists"), std::string::npos);
  EXPECT_EQ(read_file(file("a"), size_limit), "early");
}

TEST_F(AtomicFileTest, OverwritingKeepsPermissionsAndFollowsLinks) {
  write_file(file("a"), "old", Overwrite::refuse);
  fs::permissions(file("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file("a"), file("link"));
  write_file(file("link"), "new", Overwrite::allow);
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(read_file(file("a"), size_limit), "new");
  EXPECT_EQ(fs::status(file("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, DirectoriesAndMissingFoldersAreNamed) {
  const auto folder = io_error_of([&] { AtomicFile(folder_, Overwrite::allow); });
  EXPECT_NE(folder.find(folder_.string()), std::string::npos) << folder;
  EXPECT_NE(folder.find("Is a directory"), std::string::npos) << folder;
  const auto missing = io_error_of([&] { AtomicFile(folder_ / "no" / "a", Overwrite::refuse); });
  EXPECT_NE(missing.find("the folder must exist"), std::string::npos) << missing;
  EXPECT_NE(io_error_of([&] { AtomicFile("-", Overwrite::refuse); }).find("/dev/stdout"),
            std::string::npos);
  EXPECT_NE(io_error_of([&] { AtomicFile("", Overwrite::refuse); }).find("empty name"),
            std::string::npos);
}

// Whoever reads from a pipe would have the result of a run whose booking then fails.
TEST_F(AtomicFileTest, APipeGetsNothingBeforeCommit) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  std::array<char, 8> got{};
  {
    AtomicFile abandoned(file("pipe"), Overwrite::allow);
    abandoned.write("secret");
    EXPECT_LE(::read(reader, got.data(), got.size()), 0);
  }
  EXPECT_LE(::read(reader, got.data(), got.size()), 0);
  AtomicFile output(file("pipe"), Overwrite::allow);
  output.write("pa");
  AtomicFile moved(std::move(output));
  moved.write("id");
  EXPECT_LE(::read(reader, got.data(), got.size()), 0);
  moved.commit();
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  EXPECT_EQ(std::string(got.data(), 4), "paid");
  ::close(reader);
}

TEST_F(AtomicFileTest, AFullDiskIsAnError) {
  const auto text = io_error_of([&] { write_file("/dev/full", "x", Overwrite::refuse); });
  EXPECT_NE(text.find("No space left"), std::string::npos) << text;
}

TEST_F(AtomicFileTest, AFolderWithoutPermissionIsAnError) {
  if (::geteuid() == 0) return;  // root may write everywhere
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const auto text = io_error_of([&] { AtomicFile(file("a"), Overwrite::refuse); });
  EXPECT_NE(text.find("Permission denied"), std::string::npos) << text;
}

TEST_F(AtomicFileTest, ReadingRefusesWhatIsNoFile) {
  EXPECT_NE(io_error_of([&] { (void)read_file(file("none"), size_limit); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(io_error_of([&] { (void)read_file(folder_, size_limit); }).find("Is a directory"),
            std::string::npos);
}

TEST_F(AtomicFileTest, ReadingStopsAtTheSizeLimit) {
  write_file(file("a"), "12345", Overwrite::refuse);
  EXPECT_EQ(read_file(file("a"), 5), "12345");
  EXPECT_THROW((void)read_file(file("a"), 4), DataError);
}

}  // namespace atomic_file_test
}  // namespace tacet::base
