#include "tacet/random/choose/poisson_chunk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/random/choose/poisson_chunk.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace tacet::random::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Moves the low bits, in their order, to the places of the ones in `mask` (PDEP).
HWY_INLINE std::uint64_t deposit(std::uint64_t bits, std::uint64_t mask) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
  return _pdep_u64(bits, mask);
#else
  std::uint64_t placed = 0;
  for (; mask != 0; mask &= mask - 1, bits >>= 1) {
    placed |= (bits & 1) != 0 ? mask & (~mask + 1) : 0;
  }
  return placed;
#endif
}

/// Reads the bits of a sequence of words in order.
template <class Next>
class BitQueue {
 public:
  explicit BitQueue(Next next) : next_(next) {}

  /// The next `count` <= 64 bits, lowest first, and anything above them.
  HWY_INLINE std::uint64_t take(int count) {
    std::uint64_t bits = now_;
    if (count > left_) {
      const std::uint64_t word = next_();
      bits |= left_ < 64 ? word << left_ : 0;
      now_ = word;
      count -= left_;
      left_ = 64;
    }
    now_ = count < 64 ? now_ >> count : 0;
    left_ -= count;
    return bits;
  }

 private:
  Next next_;
  std::uint64_t now_ = 0;
  int left_ = 0;
};

/// Decides the records of a block by the bits that 64 records share a word of. Returns how many
/// such bits the rate needed.
HWY_INLINE int shared_members(const std::uint64_t* words, std::uint64_t rate, Chunk& members,
                              Chunk& undecided) {
  const hn::CappedTag<std::uint64_t, 8> d;
  // If all remaining bits of the rate are 0, no U that agrees so far is below the rate.
  int bits = 0;
  while (bits < shared_bits && rate << bits != 0) ++bits;
  for (std::size_t b = 0; b < members.size(); b += hn::Lanes(d)) {
    auto open = hn::Set(d, ~std::uint64_t{0});
    auto in = hn::Zero(d);
    for (int k = 0; k < bits; ++k) {
      const auto inside = hn::Set(d, ((rate >> (63 - k)) & 1) != 0 ? ~std::uint64_t{0} : 0);
      const auto word = hn::LoadU(d, words + static_cast<std::size_t>(k) * members.size() + b);
      const auto differs = hn::And(open, hn::Xor(word, inside));
      in = hn::Or(in, hn::And(differs, inside));
      open = hn::AndNot(differs, open);
    }
    hn::StoreU(in, d, members.data() + b);
    hn::StoreU(open, d, undecided.data() + b);
  }
  return bits;
}

/// Reads further bits of the records that are still open. A record is known by its rank among those
/// that were open at first: bit r of `in` is for rank r. `alive` has a one for each rank that is
/// still open.
HWY_INLINE bool later_members(ChunkWords& words, std::uint64_t rate, std::span<std::uint64_t> alive,
                              std::span<std::uint64_t> in) {
  bool some = false;
  bool left = true;
  for (int k = shared_bits; left && k < 64 && rate << k != 0; ++k) {
    const std::uint64_t inside = ((rate >> (63 - k)) & 1) != 0 ? ~std::uint64_t{0} : 0;
    BitQueue queue([&words] { return words.next(); });
    left = false;
    for (std::size_t w = 0; w < alive.size(); ++w) {
      const std::uint64_t bits = queue.take(std::popcount(alive[w]));
      const std::uint64_t differs = deposit(bits ^ inside, alive[w]);
      in[w] |= differs & inside;
      some = some || (differs & inside) != 0;
      alive[w] &= ~differs;
      left = left || alive[w] != 0;
    }
  }
  return some;
}

void members_of_chunk(ChunkWords& words, std::uint64_t rate, Chunk& members) {
  Chunk undecided;
  const int bits = shared_members(words.shared(), rate, members, undecided);
  if (rate << bits == 0) return;
  std::size_t open = 0;
  for (const std::uint64_t word : undecided) open += static_cast<std::size_t>(std::popcount(word));
  const std::size_t full = open / 64;
  const std::size_t used = full + (open % 64 != 0 ? 1 : 0);
  Chunk alive;
  Chunk in;
  for (std::size_t w = 0; w < used; ++w) {
    alive[w] = w < full ? ~std::uint64_t{0} : (std::uint64_t{1} << (open % 64)) - 1;
    in[w] = 0;
  }
  if (!later_members(words, rate, std::span(alive).first(used), std::span(in).first(used))) return;
  std::size_t w = 0;
  BitQueue queue([&] { return in[w++]; });
  for (std::size_t b = 0; b < members.size(); ++b) {
    members[b] |= deposit(queue.take(std::popcount(undecided[b])), undecided[b]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::random::internal {

HWY_EXPORT(members_of_chunk);

void chunk_members(ChunkWords& words, std::uint64_t rate, Chunk& members) {
  HWY_DYNAMIC_DISPATCH(members_of_chunk)(words, rate, members);
}

}  // namespace tacet::random::internal
#endif
