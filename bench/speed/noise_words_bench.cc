// The noise of steps over all numbers of a table, and nothing else: what an optimizer's time is
// compared with. One thread; run and judged by wide.py.
//
//     noise_words_bench NUMBERS STEPS

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

int main(int count, char** words) {
  using namespace tacet;
  if (count != 3) {
    std::cerr << "noise_words_bench NUMBERS STEPS\n";
    return 2;
  }
  std::vector<std::int64_t> numbers(std::strtoull(words[1], nullptr, 10));
  const auto steps = std::strtoull(words[2], nullptr, 10);
  constexpr double sigma = 0x1p23;  // half of a clipping norm of 2^24 grid units
  random::SeededSource source(1);
  for (std::uint64_t t = 0; t < steps; ++t) {
    random::add_rounded_gaussian(source.claim(random::Purpose::noise, t, 0), sigma, numbers);
  }
  std::int64_t sum = 0;
  for (const auto number : numbers) sum ^= number;
  std::cout << sum << '\n';
}
