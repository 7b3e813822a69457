// The reader of a ledger's rows: any bytes are a row or a DataError; a row writes and reads back,
// and rows that cannot follow each other are a DataError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/books.h"
#include "tacet/ledger/entry.h"

namespace ledger_fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  std::vector<tacet::ledger::Entry> entries;
  try {
    while (!text.empty()) {
      const auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
      entries.push_back(tacet::ledger::entry_from_text(line));
      const auto written = tacet::ledger::to_text(entries.back());
      if (tacet::ledger::to_text(tacet::ledger::entry_from_text(written)) != written) std::abort();
    }
    for (const auto& account : tacet::ledger::books_of(entries).accounts) {
      static_cast<void>(account.counted().within(account.cap()));
    }
  } catch (const tacet::base::DataError&) {
  }
  return 0;
}

}  // namespace ledger_fuzz
