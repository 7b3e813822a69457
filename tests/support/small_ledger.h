#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/scratch_folder.h"

namespace tacet::test {

inline ledger::Cap zcdp(double rho) { return {.currency = ledger::Currency::zcdp, .value = rho}; }

inline ledger::Booking zcdp_booking(double rho) {
  return {.data_set = "adult",
          .command = "test",
          .event = privacy::Zcdp{rho, privacy::Adjacency::add_remove},
          .stated = {1, 1e-5, privacy::Adjacency::add_remove}};
}

inline ledger::Booking gaussian_booking(
    double multiplier, privacy::Adjacency adjacency = privacy::Adjacency::add_remove) {
  return {.data_set = "adult",
          .command = "test",
          .event = privacy::Gaussian{multiplier},
          .stated = {1, 1e-5, adjacency}};
}

/// A ledger with an account of that much.
inline void make_ledger(const std::filesystem::path& path, double rho) {
  ledger::Ledger::create(path);
  ledger::Ledger(path).enrol(
      {.data_set = "adult", .adjacency = privacy::Adjacency::add_remove, .cap = zcdp(rho)});
}

/// Changes a file behind a ledger's back.
inline void change_file(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
}

/// A new ledger, and one account of it.
class SmallLedger : public testing::Test {
 protected:
  SmallLedger() { ledger::Ledger::create(path_); }

  void enrol_with(const ledger::Cap& cap,
                  privacy::Adjacency adjacency = privacy::Adjacency::add_remove) const {
    ledger::Ledger ledger(path_);
    ledger.enrol({.data_set = "adult",
                  .adjacency = adjacency,
                  .cap = cap,
                  .fingerprints = {std::string(64, 'a')},
                  .file = "adult.csv"});
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "budget.ledger";
  ledger::OutputRecord output_{ledger::sha256("model"), "model.json"};
};

}  // namespace tacet::test
