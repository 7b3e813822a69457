#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacet/local/protocol/messages.h"
#include "tacet/local/service/fair_draw.h"
#include "tacet/local/service/round_learner.h"
#include "tacet/local/service/state_file.h"

namespace tacet::local {

/// A slot or a report that somebody asks for, and what became of it.
struct Application {
  TokenMac mac{};
  std::string bytes;       ///< of the report; empty: a slot
  Frame frame;             ///< what they say
  bool certified = false;  ///< `mac` is of a certificate's key, which needs no enrolment

  bool waits = false;  ///< for a place: all slots are taken, and it may be asked about again
  Reason reason = Reason::storage;
  std::optional<Slot> slot;
  std::int64_t retry_seconds = 0;  ///< above 0: come again then
};

/// The part of the state that anybody may read, as of the last commit.
struct PublicState {
  std::int64_t round = 0;
  std::int64_t reports = 0;
  bool finished = false;
  std::string closed;     ///< why, before the last round: "closed"
  bool diverged = false;  ///< see Banco::diverged
  BoundedRounds bounded{};
  std::unordered_map<std::string, std::shared_ptr<const std::string>> models;  ///< by digest
};

/// Counts reports and hands out slots: the state in memory over the state in its file, the same
/// after every commit. `handle` is for one thread; the others may be called by any.
class Collector {
 public:
  /// Claims the state. IoError where another process serves it.
  explicit Collector(const std::filesystem::path& path);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  [[nodiscard]] const Task& task() const { return file_.task(); }
  [[nodiscard]] TokenMac mac_of(std::string_view token) const { return file_.mac_of(token); }
  [[nodiscard]] bool knows(const TokenMac& mac) const;
  [[nodiscard]] std::shared_ptr<const PublicState> published() const;

  /// Decides all of them in order, in one durable transaction; `now` is in milliseconds since 1970.
  /// Slots that are free afterwards are drawn by lot among those of `group` and of `waiting` who
  /// wait for one. False when it could not be stored: then none of them has been counted, each of
  /// the group has the reason `storage`, `waiting` waits on, and the next call begins with what the
  /// file holds.
  [[nodiscard]] bool handle(std::span<Application* const> group, std::int64_t now,
                            std::span<Application* const> waiting = {});
  /// Takes up tokens that were enrolled meanwhile.
  void read_tokens();
  /// Slots that ended without a report, since the object was made.
  [[nodiscard]] std::int64_t lapsed() const { return lapsed_; }
  /// Why the last call of `handle` that returned false did; for the thread that calls it.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  struct Token {
    bool counted = false;
    bool revoked = false;
    bool live = false;  ///< has a slot that is neither used nor ended: these three say which
    std::int64_t place = 0;
    std::int64_t slot_round = 0;
    std::int64_t slot_end = 0;
    std::int64_t missed = 0;        ///< slots that ended without a report
    std::int64_t barred_until = 0;  ///< no slot before
    std::int64_t expires = 0;       ///< no slot from then on; 0: never
    [[nodiscard]] bool expired(std::int64_t now) const { return expires != 0 && now >= expires; }
  };
  struct Round {
    ModelMark mark;
    std::string digest;
    std::shared_ptr<const std::string> point;
  };

  void load();
  void load_rounds(const StoredRound& last);
  void load_frames(const StoredRound& last);
  void read_slots(std::unordered_map<TokenMac, Token, TokenHash>& tokens);
  /// What `act` does with the token of an application, and what is kept of a new certificate.
  void with_token(Application& application, const std::function<void(Token&)>& act);
  void decide(Application& application, std::int64_t now);
  void ask_for_slot(Application& application, Token& token, std::int64_t now);
  void share_slots(std::span<Application* const> waiting, std::int64_t now);
  void give_slot(Application& application, Token& token, std::int64_t now);
  void name_slot(Application& application, Token& token, std::int64_t now);
  [[nodiscard]] std::int64_t free_slots() const;
  /// Reports that the task still wants.
  [[nodiscard]] std::int64_t wanted() const { return task().places() - sequence_ + dropped_; }
  /// Different devices come again at different times.
  [[nodiscard]] static std::int64_t retry_after(const TokenMac& mac, std::int64_t now);
  void take_report(Application& application, Token& token, std::int64_t now);
  [[nodiscard]] Reason judge_report(const Application& application, const Token& token,
                                    std::int64_t now);
  [[nodiscard]] std::optional<Reason> refuse_round(const Frame& frame, const Token& token) const;
  [[nodiscard]] bool would_displace(const Token& token) const;
  [[nodiscard]] std::int64_t oldest_kept() const;
  void set_clock(std::int64_t now);
  void end_slots(std::int64_t now);
  [[nodiscard]] std::int64_t wait_after(std::int64_t missed) const;
  void miss_slot(const TokenMac& mac, Token& token);
  void begin_slot(Token& token);
  void end_slot(Token& token);
  void leave_round(std::int64_t round);
  void begin_round();
  void publish();
  [[nodiscard]] bool finished() const { return !closed_.empty() || learner_->finished(); }

  StateFile file_;
  bool loaded_ = false;
  std::int64_t clock_ = 0;  // of the last group
  std::string closed_;
  std::string failure_;
  std::optional<RoundLearner> learner_;
  // Those that reports are taken for, by their number; the last one is under way.
  std::map<std::int64_t, Round> rounds_;
  std::int64_t sequence_ = 0;
  std::int64_t dropped_ = 0;  // reports among them that teach nothing any more
  std::unordered_set<std::uint64_t> report_ids_;
  std::deque<std::pair<std::int64_t, TokenMac>> ends_;  // of slots, in order; some were used
  std::int64_t live_slots_ = 0;
  std::map<std::int64_t, std::int64_t> live_rounds_;  // how many of them are of each round
  std::vector<std::int64_t> free_places_;
  struct Asking {
    Application* application;
    std::int64_t missed;  // by its token
  };
  std::vector<Asking> asking_;  // of the call under way: who waits for a slot
  FairDraw draw_;
  std::atomic<std::int64_t> lapsed_{0};

  mutable std::shared_mutex tokens_mutex_;  // of the map; only the handling thread changes tokens
  std::unordered_map<TokenMac, Token, TokenHash> tokens_;
  mutable std::mutex published_mutex_;
  std::shared_ptr<const PublicState> published_;
};

}  // namespace tacet::local
