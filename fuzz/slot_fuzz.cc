// A slot that is read is written again to what is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/local/protocol/messages.h"

namespace slot_fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacet::local;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(error_code(text));
  try {
    const auto slot = slot_from_json(text);
    if (slot_from_json(slot_json(slot)) != slot) std::abort();
  } catch (const tacet::base::DataError&) {
    return 0;
  }
  return 0;
}

}  // namespace slot_fuzz
