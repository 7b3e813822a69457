#include "tacet/ledger/ledger_file.h"

#include "tacet/base/version.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/journal.h"
#include "tacet/ledger/store/new_database.h"

namespace tacet::ledger::internal {

void cannot_make_ledger(const std::filesystem::path& path, int error) {
  cannot_make_database(path, {}, error);
}

int make_ledger(const std::filesystem::path& path) {
  const auto key = random_key();
  return make_database(path, {}, [&](Database& database) {
    create_journal(database, key);
    auto current = read_current(database);
    append_row(database, current,
               entry_now(Created{random_key(), sha256(key), std::string(base::version)}));
  });
}

}  // namespace tacet::ledger::internal
