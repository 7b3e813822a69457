#include "tacet/data/owner/similar_units.h"

#include <cstddef>

#include "tacet/data/encode/decimal.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::string_view no_break_space = "\xc2\xa0";

/// The lower case of a letter of two bytes, by the blocks of Unicode.
unsigned small_letter(unsigned code) {
  const auto within = [&](unsigned first, unsigned last) { return code >= first && code <= last; };
  if (within(0xc0, 0xde) && code != 0xd7) return code + 0x20;  // Latin-1
  if (within(0x100, 0x137) || within(0x14a, 0x177)) return code | 1U;
  if (within(0x139, 0x148) || within(0x179, 0x17e)) return code + (code & 1U);
  if (within(0x391, 0x3a9)) return code + 0x20;  // Greek
  if (within(0x410, 0x42f)) return code + 0x20;  // Cyrillic
  if (within(0x400, 0x40f)) return code + 0x50;
  return code;
}

std::string likeness_of(std::string_view text) {
  std::string likeness;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if (text[k] == ' ' || text[k] == '\t' || text.substr(k).starts_with(no_break_space)) {
      k += byte == 0xc2U ? 1 : 0;
    } else if (text[k] >= 'A' && text[k] <= 'Z') {
      likeness += static_cast<char>(text[k] - 'A' + 'a');
    } else if ((byte & 0xe0U) == 0xc0U && k + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[++k]);
      append_utf8(small_letter((byte & 0x1fU) << 6 | (next & 0x3fU)), likeness);
    } else {
      likeness += text[k];
    }
  }
  return likeness;
}

}  // namespace

void SimilarUnits::add(std::string_view field, std::int64_t line) {
  if (name_.of(field).empty() || read_decimal(field)) return;
  if (!seen_.emplace(field).second) return;
  if (likenesses_.insert(likeness_of(field)).second) return;
  ++count_;
  if (first_line_ == 0) first_line_ = line;
}

}  // namespace tacet::data
