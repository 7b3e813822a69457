#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/local/learner_file.h"

namespace learner_file_fuzz {

using tacet::local::learner_from_bytes;

namespace {

/// What is read is written again to the same bytes, and goes on.
void check(std::string_view bytes) {
  try {
    auto learner = learner_from_bytes(bytes, "fuzz");
    if (tacet::local::to_bytes(learner) != bytes) __builtin_trap();
    std::visit(
        [](auto& kept) {
          const std::vector<double> report(kept.model().size(), 0.25);
          static_cast<void>(kept.observe({report}));
        },
        learner);
  } catch (const tacet::base::DataError&) {
    // Refused with a message: what must happen to anything else.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  // With a right checksum, so that what stands behind it is reached.
  tacet::base::Sha256 sum;
  sum.add(bytes);
  check(bytes + sum.digest());
  return 0;
}

}  // namespace learner_file_fuzz
