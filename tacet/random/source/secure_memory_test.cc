#include "tacet/random/source/secure_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/source/cipher.h"
#include "tacet/random/source/key_tree.h"

namespace tacet::random::internal {
namespace secure_memory_test {

/// Whether writable memory of this process holds the 32 bytes `pattern ^ mask` anywhere. Only the
/// masked form is passed, so that the search does not find itself.
bool memory_holds(const std::array<std::uint8_t, key_size>& masked, std::uint8_t mask) {
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  bool found = false;
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(" rw") == std::string::npos) continue;
    std::size_t used = 0;
    const std::uint64_t begin = std::stoull(line, &used, 16);
    const std::uint64_t end = std::stoull(line.substr(used + 1), nullptr, 16);
    if (end - begin > (std::uint64_t{1} << 28)) continue;  // sanitizers' shadow memory
    std::vector<char> bytes(end - begin);
    const ScopedWipe wipe{std::span(bytes)};
    const auto count = pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    const auto readable = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    for (std::size_t i = 0; i + key_size <= readable; ++i) {
      const bool equal = std::equal(masked.begin(), masked.end(), bytes.data() + i,
                                    [&](std::uint8_t want, char have) {
                                      return want == (static_cast<std::uint8_t>(have) ^ mask);
                                    });
      found = found || equal;
    }
  }
  close(memory);
  return found;
}

TEST(SecureMemory, KeysLeaveNoCopyBehind) {
  // The key of KeyTree.ChildrenAreDerivedAsDocumented, masked.
  constexpr std::uint8_t mask = 0x5C;
  constexpr std::array<std::uint8_t, key_size> masked = {
      0x33, 0xba, 0x0d, 0xe3, 0x19, 0xa9, 0xa7, 0x87, 0xca, 0x05, 0x29,
      0xc1, 0xa7, 0x7b, 0x81, 0xb3, 0x88, 0x22, 0xf5, 0x96, 0xaf, 0x26,
      0x4f, 0x5a, 0x41, 0xb8, 0x48, 0xb2, 0x99, 0xeb, 0x9c, 0x85};
  {
    const Key key =
        Key::from_seed(7).child("run").child("noise").child("leaf", 3, 5).child("words");
    const Keystream stream(key);
    ASSERT_TRUE(memory_holds(masked, mask)) << "the search does not see a living key";
  }
  EXPECT_FALSE(memory_holds(masked, mask));
}

TEST(SecureMemory, ManyKeysAtOnceStayDistinct) {
  const Key root = Key::from_seed(1);
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(root.child("k", i));
  std::set<std::string> bytes;
  for (const Key& key : keys) bytes.emplace(key.bytes().begin(), key.bytes().end());
  EXPECT_EQ(bytes.size(), keys.size());
}

TEST(SecureMemory, KeysMoveButNeverCopy) {
  static_assert(!std::is_copy_constructible_v<Key> && !std::is_copy_assignable_v<Key>);
  static_assert(std::is_nothrow_move_constructible_v<Key>);
  Key key = Key::from_seed(1);
  const Key taken = std::move(key);
  EXPECT_EQ(taken.bytes().size(), key_size);
  EXPECT_THROW(static_cast<void>(key.bytes()),
               base::InternalError);  // NOLINT(bugprone-use-after-move)
}

TEST(SecureMemory, AForkedChildCannotReadItsParentsKeys) {
  const Key key = Key::from_seed(1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int code = 1;
    try {
      static_cast<void>(key.bytes());
    } catch (const base::InternalError&) {
      code = 0;
    }
    _exit(code);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(SecureMemory, ScopedWipeLeavesZeros) {
  std::array<std::uint64_t, 4> words = {1, 2, 3, 4};
  { const ScopedWipe wipe{std::span(words)}; }
  EXPECT_EQ(words, (std::array<std::uint64_t, 4>{}));
}

}  // namespace secure_memory_test
}  // namespace tacet::random::internal
