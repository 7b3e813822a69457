#pragma once

#include <cstdint>
#include <string_view>

namespace tacet::data {

/// The fixed hash behind hashed and text columns, part of every model that uses them: FNV-1a over
/// the bytes (offset basis 0xcbf29ce484222325, prime 0x100000001b3; Fowler, Noll, Vo 1991), then
/// the finaliser of SplitMix64 (Steele, Lea, Flood 2014) so that the leading bits mix well. It has
/// no key and learns nothing from data: two files get the same buckets.
[[nodiscard]] constexpr std::uint64_t public_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

/// Bucket 0..2^bits-1: the leading bits of the hash.
[[nodiscard]] constexpr std::uint32_t public_bucket(std::string_view bytes, int bits) {
  return static_cast<std::uint32_t>(public_hash(bytes) >> (64 - bits));
}

}  // namespace tacet::data
