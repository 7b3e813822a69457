#pragma once

#include <cstdint>
#include <deque>
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
#include "tacet/local/service/round_learner.h"
#include "tacet/local/service/state_file.h"

namespace tacet::local {

/// A slot or a report that somebody asks for, and what became of it.
struct Application {
  TokenMac mac{};
  std::string bytes;       ///< of the report; empty: a slot
  Frame frame;             ///< what they say
  bool certified = false;  ///< `mac` is of a certificate's key, which needs no enrolment

  Reason reason = Reason::storage;
  std::optional<Slot> slot;
  std::int64_t retry_seconds = 0;  ///< above 0: come again then
};

/// What anybody may read of the state, as of the last commit.
struct Published {
  std::int64_t round = 0;
  std::int64_t reports = 0;
  bool finished = false;
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
  [[nodiscard]] std::shared_ptr<const Published> published() const;

  /// Decides all of them in order, in one durable transaction; `now` is in milliseconds since 1970.
  /// False when it could not be stored: then none of them has been counted, each has the reason
  /// `storage`, and the next call begins with what the file holds.
  [[nodiscard]] bool handle(std::span<Application* const> group, std::int64_t now);
  /// Takes up tokens that were enrolled meanwhile.
  void read_tokens();

 private:
  struct Token {
    bool counted = false;
    bool live = false;  ///< has a slot that is neither used nor ended: these three say which
    std::int64_t place = 0;
    std::int64_t slot_round = 0;
    std::int64_t slot_end = 0;
    std::int64_t missed = 0;        ///< slots that ended without a report
    std::int64_t barred_until = 0;  ///< no slot before
  };
  struct Round {
    std::int64_t round;
    ModelMark mark;
    std::string digest;
    std::shared_ptr<const std::string> point;
  };

  void load();
  void read_slots(std::unordered_map<TokenMac, Token, TokenHash>& tokens);
  void decide(Application& application, std::int64_t now);
  void give_slot(Application& application, Token& token, std::int64_t now);
  void take_report(Application& application, Token& token, std::int64_t now);
  [[nodiscard]] Reason judge_report(const Application& application, const Token& token);
  [[nodiscard]] std::optional<Reason> refuse_round(const Frame& frame) const;
  [[nodiscard]] bool would_displace(const Token& token) const;
  void set_clock(std::int64_t now);
  void end_slots(std::int64_t now);
  [[nodiscard]] std::int64_t wait_after(std::int64_t missed) const;
  void miss_slot(const TokenMac& mac, Token& token);
  void begin_slot(Token& token);
  void end_slot(Token& token);
  [[nodiscard]] bool has_place(const Token& token, std::int64_t now) const;
  void begin_round();
  void publish();
  [[nodiscard]] bool finished() const { return !closed_.empty() || learner_->finished(); }

  StateFile file_;
  bool loaded_ = false;
  std::int64_t clock_ = 0;  // of the last group
  std::string closed_;
  std::optional<RoundLearner> learner_;
  std::deque<Round> rounds_;  // those that reports are taken for; the last one is under way
  std::int64_t sequence_ = 0;
  std::unordered_set<std::uint64_t> report_ids_;
  std::deque<std::pair<std::int64_t, TokenMac>> ends_;  // of slots, in order; some were used
  std::int64_t live_slots_ = 0;
  std::map<std::int64_t, std::int64_t> live_rounds_;  // how many of them are of each round
  std::vector<std::int64_t> free_places_;

  mutable std::shared_mutex tokens_mutex_;  // of the map; only the handling thread changes tokens
  std::unordered_map<TokenMac, Token, TokenHash> tokens_;
  mutable std::mutex published_mutex_;
  std::shared_ptr<const Published> published_;
};

}  // namespace tacet::local
