// A task that is accepted keeps its bytes and its name; anything else is refused with a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/local/protocol/task.h"

namespace task_fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto task = tacet::local::task_from_text(text, "fuzz");
    if (task.text != text || task.digest.size() != 64) std::abort();
  } catch (const tacet::base::DataError&) {
    return 0;
  } catch (const tacet::base::GuaranteeError&) {
    return 0;
  }
  return 0;
}

}  // namespace task_fuzz
