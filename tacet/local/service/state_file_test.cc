// What a state says of itself: rows that were changed, another key, copies, tokens that end.
#include "tacet/local/service/state_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/local/service/reopen.h"
#include "tacet/local/service/replay.h"
#include "tests/support/collector_case.h"
#include "tests/support/local_task.h"
#include "tests/support/small_ledger.h"

namespace tacet::local {
namespace state_file_test {

namespace fs = std::filesystem;
using test::noon;
using test::second;

class StateFileTest : public test::CollectorCase {
 protected:
  void take_ten() {
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(test::take_part(collector(), macs_[i], i, noon), Reason::counted);
    }
    static_cast<void>(slot_for(20));
    restart();
  }
  /// A copy that is edited by a statement of SQL.
  fs::path changed(const std::string& sql) {
    auto copy = folder_.path() / "changed.state";
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    test::change_file(copy, sql);
    return copy;
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(StateFileTest, AFlippedBitInAnyRowIsFound) {
  take_ten();
  // One bit of each value of each row of these tables, where the table's rows are stored.
  const auto flipped_blob = [](const std::string& column) {
    return column + " = CAST(substr(" + column + ", 1, 3) || char(unicode(substr(" + column +
           ", 4, 1)) + 1) || substr(" + column + ", 5) AS BLOB)";
  };
  for (const auto& sql : std::vector<std::string>{
           "UPDATE tokens SET missed = 4 WHERE mac = (SELECT mac FROM tokens LIMIT 1)",
           "UPDATE tokens SET barred_until = 64 WHERE mac = (SELECT mac FROM tokens LIMIT 1)",
           "UPDATE tokens SET expires = 1024 WHERE mac = (SELECT max(mac) FROM tokens)",
           "UPDATE tokens SET mac = zeroblob(32) WHERE mac = (SELECT max(mac) FROM tokens)",
           "UPDATE tokens SET seal = zeroblob(16) WHERE mac = (SELECT max(mac) FROM tokens)",
           "DELETE FROM tokens WHERE mac IN (SELECT mac FROM frames)",
           "UPDATE meta SET value = 'closee' WHERE key = 'closed'",
           "UPDATE meta SET key = 'closee' WHERE key = 'closed'",
           "UPDATE meta SET value = '1 of 2' WHERE key = 'shard'",
           "UPDATE meta SET value = '{}' WHERE key = 'holder'",
           "UPDATE meta SET seal = zeroblob(16) WHERE key = 'digest'",
           "UPDATE meta SET " + flipped_blob("value") + " WHERE key = 'key'",
           "INSERT INTO meta VALUES('more', '', '')",
           "UPDATE slots SET slot_end = slot_end + 1",
           "UPDATE slots SET mac = (SELECT mac FROM tokens WHERE mac NOT IN (SELECT mac FROM "
           "slots))",
           "UPDATE frames SET mac = (SELECT mac FROM tokens WHERE mac NOT IN (SELECT mac FROM "
           "frames)) WHERE sequence = 4",
           "UPDATE frames SET report = report + 1 WHERE sequence = 4",
           "UPDATE frames SET report = CAST(report AS BLOB) WHERE sequence = 4",
           "UPDATE frames SET frame = CAST(frame AS TEXT) WHERE sequence = 4",
           "UPDATE rounds SET model = CAST(model AS BLOB) WHERE round = 1",
           "UPDATE slots SET mac = CAST(mac AS TEXT)",
           "UPDATE tokens SET mac = CAST(mac AS TEXT) WHERE mac = (SELECT max(mac) FROM tokens)",
           "UPDATE tokens SET expires = zeroblob(0) WHERE mac = (SELECT max(mac) FROM tokens)",
           "INSERT INTO revoked SELECT max(mac), zeroblob(16) FROM tokens"}) {
    const auto verify = [&] {
      StateFile file(changed(sql), ledger::Access::read);
      static_cast<void>(replay(file, ReplayCheck::every_round));
    };
    EXPECT_THROW(verify(), base::DataError) << sql;
    EXPECT_THROW(Collector{changed(sql)}, base::DataError) << sql;
  }
}

// Programs emptied the points of rounds that nobody asks for any more by a text, once.
TEST_F(StateFileTest, APointThatAnEarlierProgramEmptiedHasNoWrongType) {
  take_ten();
  const auto path = changed("UPDATE rounds SET point = '' WHERE round < 1");
  // This point is young and missed by its digest; but its type is no fault.
  try {
    const Collector opened{path};
    FAIL() << "the point of round 0 is gone";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string_view(error.what()).find("not what its digest says"),
              std::string_view::npos);
  }
}

/// All that is read of a state; the replay has found nothing wrong.
std::string all_of(const fs::path& path) {
  StateFile file(path, ledger::Access::read);
  static_cast<void>(replay(file, ReplayCheck::every_round));
  std::string text = file.key() + file.learner() + file.closed();
  const auto add = [&](const TokenMac& mac) {
    text.append(reinterpret_cast<const char*>(mac.data()), mac.size());
  };
  file.each_token([&](const StoredToken& token) {
    add(token.mac);
    text += std::to_string(token.missed) + " " + std::to_string(token.barred_until);
  });
  file.each_slot([&](const StoredSlot& slot) { add(slot.mac); });
  file.each_frame(1, [&](const StoredFrame& frame) {
    add(frame.mac);
    text += frame.bytes;
  });
  return text;
}

TEST_F(StateFileTest, AChangedNoteOfDroppedReportsIsFound) {
  take_ten();
  {
    StateFile file(path_, ledger::Access::write);
    static_cast<void>(reopen(file, 1));  // reports 5 to 10
  }
  for (const auto& sql : std::vector<std::string>{
           "UPDATE dropped SET last = 11", "UPDATE dropped SET before = 5",
           "UPDATE dropped SET round = 0", "UPDATE dropped SET number = 3",
           "UPDATE dropped SET seal = zeroblob(16)", "DELETE FROM dropped",
           "INSERT INTO dropped SELECT number + 1, round, before, last, seal FROM dropped"}) {
    const auto verify = [&] {
      StateFile file(changed(sql), ledger::Access::read);
      static_cast<void>(replay(file, ReplayCheck::every_round));
    };
    EXPECT_THROW(verify(), base::DataError) << sql;
    EXPECT_THROW(Collector{changed(sql)}, base::DataError) << sql;
  }
}

TEST_F(StateFileTest, AFlippedBitOfTheFileIsFoundOrChangesNothing) {
  take_ten();
  const auto whole = content(path_);
  const auto original = all_of(path_);
  std::vector<std::string> parts;
  {
    StateFile file(path_, ledger::Access::read);
    parts.push_back(file.key());
    file.each_token([&](const StoredToken& token) {
      parts.emplace_back(reinterpret_cast<const char*>(token.mac.data()), token.mac.size());
    });
  }
  const auto copy = folder_.path() / "flipped.state";
  int found = 0;
  for (const auto& part : parts) {
    // Places that no row uses any more hold copies too.
    for (auto at = whole.find(part); at != whole.npos; at = whole.find(part, at + 1)) {
      auto flipped = whole;
      flipped[at + part.size() / 2] = static_cast<char>(flipped[at + part.size() / 2] ^ 4);
      std::ofstream(copy, std::ios::binary) << flipped;
      try {
        EXPECT_EQ(all_of(copy), original) << "byte " << at;
      } catch (const base::DataError&) {
        ++found;
      }
    }
  }
  EXPECT_GE(found, std::ssize(parts));
}

TEST_F(StateFileTest, AnotherKeyIsRefusedBeforeAnybodyIsAnswered) {
  take_ten();
  const auto other = folder_.path() / "other.state";
  ASSERT_TRUE(StateFile::make(other, test::small_task(test::narrow_terms)));
  const auto attach = "ATTACH '" + other.string() + "' AS o; ";
  // The key alone, and the key with its own seal.
  for (const auto* columns : {"value", "value, seal"}) {
    const auto sql = attach + "UPDATE meta SET (" + columns + ") = (SELECT " + columns +
                     " FROM o.meta WHERE key = 'key') WHERE key = 'key'";
    const auto copy = changed(sql);
    try {
      const StateFile file(copy, ledger::Access::read);
      ADD_FAILURE() << columns;
    } catch (const base::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("its key is not the one"), std::string::npos)
          << error.what();
    }
  }
}

TEST_F(StateFileTest, ReadingMakesNoFileAndNeedsNoRightToWrite) {
  take_ten();
  const auto files = [this] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  };
  const auto before = files();
  const auto bytes = content(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  {
    StateFile file(path_, ledger::Access::read);
    EXPECT_EQ(overview(file).reports, 10);
    EXPECT_EQ(files(), before);
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(content(path_), bytes);
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  // Beside a server too.
  EXPECT_EQ(test::take_part(collector(), macs_[10], 10, noon), Reason::counted);
  const auto beside = files();
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(overview(file).reports, 11);
  EXPECT_EQ(files(), beside);
}

TEST_F(StateFileTest, ACopyBesideAServerIsWholeAndIsServed) {
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(test::take_part(collector(), macs_[i], i, noon), Reason::counted);
  }
  const auto copy = folder_.path() / "copy.state";
  StateFile(path_, ledger::Access::read).back_up(copy);
  EXPECT_EQ(test::take_part(collector(), macs_[10], 10, noon), Reason::counted);
  EXPECT_EQ(fs::status(copy).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THROW(StateFile(path_, ledger::Access::read).back_up(copy), base::IoError);
  restart();
  {
    StateFile file(copy, ledger::Access::read);
    EXPECT_EQ(replay(file, ReplayCheck::every_round).reports, 10);
  }
  Collector served(copy);
  EXPECT_EQ(test::take_part(served, macs_[10], 10, noon), Reason::counted);
}

TEST_F(StateFileTest, ACopyThatWasInterruptedIsNamedAndNotWrittenOver) {
  const auto copy = folder_.path() / "copy.state";
  const auto draft = copy.string() + ".part";
  std::ofstream(draft) << "half";
  try {
    StateFile(path_, ledger::Access::read).back_up(copy);
    ADD_FAILURE() << "copied";
  } catch (const base::IoError& error) {
    EXPECT_NE(std::string(error.what()).find(draft), std::string::npos) << error.what();
  }
  EXPECT_EQ(base::read_file(draft, 100), "half");
  EXPECT_FALSE(fs::exists(copy));
  fs::remove(draft);
  StateFile(path_, ledger::Access::read).back_up(copy);
  EXPECT_TRUE(fs::exists(copy));
}

/// No file grows beyond so many bytes in this process.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(StateFileTest, ACopyThatFindsNoRoomIsTheOneThatIsNamed) {
  const auto copy = folder_.path() / "copy.state";
  std::string said;
  {
    StateFile file(path_, ledger::Access::read);
    const FileLimit limit(8192);
    try {
      file.back_up(copy);
    } catch (const base::IoError& error) {
      said = error.what();
    }
  }
  EXPECT_NE(said.find("'" + copy.string() + "' could not be"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_FALSE(fs::exists(copy.string() + ".part"));
}

TEST_F(StateFileTest, NothingIsTakenUnderARevokedToken) {
  const auto drawn = test::any_report(collector().task(), slot_for(1), 1);
  EXPECT_EQ(test::take_part(collector(), macs_[2], 2, noon), Reason::counted);
  {
    StateFile file(path_, ledger::Access::write);
    EXPECT_THROW(file.revoke({tokens_[0], std::string(64, '0')}), base::DataError);
    file.revoke({tokens_[1], tokens_[2], tokens_[3]});
  }
  EXPECT_EQ(send(1, drawn, noon), Reason::counted) << "a server reads it when it is told to";
  collector().read_tokens();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(test::take_part(collector(), macs_[0], 0, noon),
              i == 0 ? Reason::counted : Reason::used_token);
    EXPECT_EQ(test::take_part(collector(), macs_[1], 1, noon), Reason::ended_token);
    EXPECT_EQ(test::take_part(collector(), macs_[2], 2, noon), Reason::ended_token);
    EXPECT_EQ(test::take_part(collector(), macs_[3], 3, noon), Reason::ended_token);
    restart();
  }
  EXPECT_EQ(collector().published()->reports, 3);  // what counted stays
}

TEST_F(StateFileTest, AnExpiredTokenGetsNoSlotAndKeepsTheOneItHas) {
  std::vector<TokenMac> macs;
  {
    StateFile file(path_, ledger::Access::write);
    for (const auto& token : file.enrol(2, noon + 10 * second)) macs.push_back(file.mac_of(token));
  }
  auto first = test::slot_of(macs[0]);
  EXPECT_EQ(test::handle_one(collector(), first, noon + 9 * second), Reason::slot);
  restart();
  auto second_one = test::slot_of(macs[1]);
  EXPECT_EQ(test::handle_one(collector(), second_one, noon + 10 * second), Reason::ended_token);
  auto sent = test::report_of(collector().task(), macs[0],
                              test::any_report(collector().task(), *first.slot, 1));
  EXPECT_EQ(test::handle_one(collector(), sent, noon + 11 * second), Reason::counted);
  EXPECT_EQ(test::handle_one(collector(), sent, noon + test::year), Reason::counted) << "again";
  EXPECT_EQ(test::take_part(collector(), macs_[0], 2, noon + test::year), Reason::counted);
}

TEST_F(StateFileTest, NoReportCountsUnderAnExpiredTokenWithoutASlot) {
  std::vector<TokenMac> macs;
  {
    StateFile file(path_, ledger::Access::write);
    for (const auto& token : file.enrol(2, noon + 10 * second)) macs.push_back(file.mac_of(token));
  }
  auto asked = test::slot_of(macs[0]);
  EXPECT_EQ(test::handle_one(collector(), asked, noon), Reason::slot);
  // Of round and model everybody learns who has a slot. Theirs has ended, or was never there.
  for (const auto& mac : macs) {
    auto sent = test::report_of(collector().task(), mac,
                                test::any_report(collector().task(), *asked.slot, 1));
    EXPECT_EQ(test::handle_one(collector(), sent, noon + test::year), Reason::ended_token);
    restart();
  }
  EXPECT_EQ(collector().published()->reports, 0);
}

}  // namespace state_file_test
}  // namespace tacet::local
