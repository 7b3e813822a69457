#pragma once

namespace tacet::test {

/// How often a test repeats what takes long: a fifth of it under ASan, which finds what it looks
/// for the first time; what is counted is counted by the program that ships.
constexpr int repetitions(int count) {
#ifdef __SANITIZE_ADDRESS__
  return (count + 4) / 5;
#else
  return count;
#endif
}

}  // namespace tacet::test
