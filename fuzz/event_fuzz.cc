// An event or a receipt that is accepted must survive writing and reading.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/statement.h"

namespace event_fuzz {

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void read_receipt(std::string_view text) {
  try {
    const auto receipt = tacet::privacy::receipt_from_json(text);
    const auto written = tacet::privacy::receipt_to_json(receipt);
    check(tacet::privacy::receipt_to_json(tacet::privacy::receipt_from_json(written)) == written);
    check(!tacet::privacy::statement(receipt).empty());
  } catch (const tacet::base::DataError&) {
    return;
  } catch (const tacet::base::GuaranteeError&) {
    return;  // well formed, but it promises what the cipher rules out
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_receipt(text);
  tacet::privacy::Event event = tacet::privacy::no_event();
  try {
    event = tacet::privacy::event_from_json(text);
  } catch (const tacet::base::DataError&) {
    return 0;
  }
  const auto written = tacet::privacy::event_to_json(event);
  check(tacet::privacy::event_from_json(written) == event);
  return 0;
}

}  // namespace event_fuzz
