// A ledger that is linked, moved, replaced, removed or copied while somebody spends from it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace ledger_places_test {

namespace fs = std::filesystem;

constexpr auto add_remove = privacy::Adjacency::add_remove;
constexpr double part = 1.0 / 65536;
const OutputRecord output{sha256("model"), "model.json"};

const Booking booking{.data_set = "adult",
                      .command = "test",
                      .event = privacy::Zcdp{part, add_remove},
                      .stated = {1, 1e-5, add_remove}};

void make_ledger(const fs::path& path) {
  Ledger::create(path);
  Ledger(path).enrol({.data_set = "adult",
                      .adjacency = add_remove,
                      .cap = {.currency = Currency::zcdp, .value = 1}});
}

std::int64_t committed(const fs::path& path) {
  Ledger ledger(path, {.access = Access::read});
  static_cast<void>(ledger.verify());
  const auto books = ledger.books();
  std::int64_t count = 0;
  for (const auto& run : books.account("adult").runs) {
    count += run.state == RunState::committed ? 1 : 0;
  }
  return count;
}

template <typename Action>
std::string io_error_of(const Action& action) {
  try {
    action();
  } catch (const base::IoError& error) {
    return error.what();
  }
  return "no IoError";
}

class LedgerPlaces : public testing::Test {
 protected:
  LedgerPlaces() { make_ledger(path_); }

  test::ScratchFolder folder_;
  fs::path path_ = folder_.path() / "budget.ledger";
  fs::path other_ = folder_.path() / "other.ledger";
};

TEST_F(LedgerPlaces, ASecondNameIsRefusedUnderBothNamesAndWhileItIsOpen) {
  Ledger open(path_);
  const auto run = open.reserve(booking);
  fs::create_hard_link(path_, other_);
  for (const auto& name : {path_, other_}) {
    for (const auto access : {Access::read, Access::write}) {
      const auto text = io_error_of([&] { Ledger(name, {.access = access}); });
      EXPECT_NE(text.find("has 2 names (hard links)"), std::string::npos) << text;
    }
  }
  EXPECT_NE(
      io_error_of([&] { static_cast<void>(open.reserve(booking)); }).find("nothing was booked"),
      std::string::npos);
  const auto text = io_error_of([&] { open.commit({{run, booking.event}}, output); });
  EXPECT_NE(text.find("stays booked as spent"), std::string::npos) << text;
  fs::remove(other_);
  open.commit({{run, booking.event}}, output);
  EXPECT_EQ(committed(path_), 1);
}

TEST_F(LedgerPlaces, ASymbolicLinkIsTheSameLedger) {
  fs::create_symlink(path_, other_);
  Ledger by_link(other_);
  Ledger by_name(path_);
  static_cast<void>(by_link.reserve(booking));
  static_cast<void>(by_name.reserve(booking));
  EXPECT_EQ(by_link.books().account("adult").counted().total().value, 2 * part);
}

TEST_F(LedgerPlaces, OneThatWasMovedReplacedOrRemovedWhileOpenBooksNothing) {
  const auto kept = folder_.path() / "kept.ledger";
  for (const std::string what : {"moved", "replaced", "removed"}) {
    Ledger open(path_);
    const auto run = open.reserve(booking);
    if (what == "moved") fs::rename(path_, kept);
    if (what == "replaced") {
      fs::copy_file(path_, other_);
      fs::rename(path_, kept);
      fs::rename(other_, path_);
    }
    if (what == "removed") {
      fs::copy_file(path_, kept);
      fs::remove(path_);
    }
    const auto text = io_error_of([&] { open.commit({{run, booking.event}}, output); });
    EXPECT_NE(text.find("was moved, replaced or removed while it was open; run "),
              std::string::npos)
        << text;
    const auto unread = io_error_of([&] { static_cast<void>(open.books()); });
    EXPECT_NE(unread.find(fmt::format("; run {} is booked in it", run)), std::string::npos)
        << unread;
    fs::rename(kept, path_);
    EXPECT_EQ(committed(path_), 0);
  }
}

/// As `cat from > to`: the file stays the same, its content does not.
void overwrite(const fs::path& from, const fs::path& to) {
  std::ofstream(to, std::ios::binary | std::ios::trunc)
      << std::ifstream(from, std::ios::binary).rdbuf();
}

std::string row_of(const fs::path& path, std::int64_t run) {
  Database database(path, {.access = Access::read});
  auto select = database.prepare("SELECT text FROM journal WHERE number = ?1");
  select.bind(1, run);
  return select.step() ? select.text(0) : std::string();
}

// The copy lacks one booking, and the next one takes its number, and SQLite's change counter too.
TEST_F(LedgerPlaces, AnOlderCopyPutInPlaceGivesNoRunTheBookingOfAnother) {
  for (const bool commits : {true, false}) {
    fs::copy_file(path_, other_, fs::copy_options::overwrite_existing);
    Ledger first(path_);
    const auto run = first.reserve(booking);
    overwrite(other_, path_);
    Ledger second(path_);
    auto differs = booking;
    differs.command = "second";
    ASSERT_EQ(second.reserve(differs), run);
    const auto row = row_of(path_, run);
    const auto text = io_error_of([&] {
      if (commits) {
        first.commit({{run, booking.event}}, output);
      } else {
        first.cancel(run);
      }
    });
    EXPECT_NE(text.find("was replaced by another state of it while run "), std::string::npos)
        << text;
    EXPECT_EQ(text.find("stays booked"), std::string::npos) << text;
    EXPECT_EQ(row_of(path_, run), row);
    second.commit({{run, booking.event}}, output);
    EXPECT_EQ(committed(path_), commits ? 1 : 2);
    // And once the other run has ended.
    EXPECT_NE(io_error_of([&] { first.cancel(run); }).find("was replaced"), std::string::npos);
  }
}

TEST_F(LedgerPlaces, PagesInMemoryDoNotAnswerForAFileThatWasOverwritten) {
  fs::copy_file(path_, other_);
  Ledger first(path_);
  static_cast<void>(first.reserve(booking));
  overwrite(other_, path_);
  Ledger second(path_);
  auto larger = booking;
  larger.event = privacy::Zcdp{0.75, add_remove};
  static_cast<void>(second.reserve(larger));
  EXPECT_EQ(first.books().account("adult").counted().total().value, 0.75);
}

TEST_F(LedgerPlaces, LeadingSlashesNameTheSameFile) {
  for (const std::string slashes : {"/", "//"}) {
    Ledger open(slashes + path_.string());
    EXPECT_EQ(open.position().rows, 3);
  }
}

/// What a bystander does to a ledger in use.
enum class Mischief { move, replace_by_copy, link, copy, remove_and_restore };

/// A process spends, and a bystander does something at a random moment. Whatever it is: each
/// release that the world has seen is booked in the file that was the ledger, and no other name of
/// that file is spent from.
void disturb(int rounds, std::uint64_t seed) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  const auto kept = folder.path() / "kept.ledger";
  const auto other = folder.path() / "other.ledger";
  const test::Witness witness(folder.path() / "seen");
  make_ledger(path);
  std::mt19937_64 random(seed);
  int noticed = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto what = static_cast<Mischief>(random() % 5);
    const auto moment = std::chrono::microseconds(random() % 4000);
    // Who comes too late and opens a copy has another ledger: only marks can tell (Marks).
    const test::Gate opened;
    const auto child = test::in_child([&] {
      try {
        Ledger ledger(path);
        opened.open();
        for (int i = 0; i < 4; ++i) {
          const auto run = ledger.reserve(booking);
          ledger.commit({{run, booking.event}}, output);
          witness.see('r');
        }
      } catch (const base::IoError&) {
        return 7;
      }
      return 0;
    });
    opened.pass();
    std::this_thread::sleep_for(moment);
    if (what == Mischief::move || what == Mischief::replace_by_copy) fs::rename(path, kept);
    if (what == Mischief::replace_by_copy) fs::copy_file(kept, path);
    if (what == Mischief::copy) fs::copy_file(path, other);
    if (what == Mischief::link) {
      fs::create_hard_link(path, other);
      EXPECT_THROW(Ledger{other}, base::IoError);
    }
    if (what == Mischief::remove_and_restore) {
      fs::rename(path, kept);
      fs::rename(kept, path);
    }
    const int code = test::exit_code_of(child);
    EXPECT_TRUE(code == 0 || code == 7) << code;
    noticed += code == 7 ? 1 : 0;
    // Back to one name of the file that was the ledger.
    if (what == Mischief::move || what == Mischief::replace_by_copy) {
      fs::remove(path);
      fs::rename(kept, path);
    }
    fs::remove(other);
    ASSERT_GE(committed(path), witness.count('r')) << round;
  }
  EXPECT_GT(noticed, rounds / 10);
}

TEST(LedgerDisturbed, ThirtyMovesLinksAndCopiesReleaseNothingUnbooked) { disturb(30, 1); }

TEST(LedgerDisturbedLong, ThreeHundredMovesLinksAndCopiesReleaseNothingUnbooked) {
  disturb(300, 2);
}

}  // namespace ledger_places_test
}  // namespace tacet::ledger
