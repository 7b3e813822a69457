#include "tacet/local/service/collector.h"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::local {
Collector::Collector(const std::filesystem::path& path) : file_(path, ledger::Access::write) {
  file_.check_structure();
  file_.claim();
  load();  // a state that cannot be served stays what it is
  file_.note_holder();
}

Collector::~Collector() {
  try {
    file_.release();
  } catch (const base::Error&) {
    return;  // the next server sees that this process is gone
  }
}

bool Collector::knows(const TokenMac& mac) const {
  const std::shared_lock lock(tokens_mutex_);
  return tokens_.contains(mac);
}

std::shared_ptr<const PublicState> Collector::published() const {
  const std::scoped_lock lock(published_mutex_);
  return published_;
}

void Collector::load() {
  loaded_ = false;
  closed_ = file_.closed();
  const auto last = file_.last_round();
  const auto bytes = file_.learner();
  learner_.emplace(task(), GroupOrder(file_.group_key()), bytes);
  if (learner_->round() != last.round || ledger::sha256(bytes) != last.learner) {
    throw base::DataError("the state '{}' was changed: its learner is not that of round {}",
                          file_.path().string(), last.round);
  }
  read_tokens();  // whose slots say which rounds are needed
  load_rounds(last);
  load_frames(last);
  loaded_ = true;
  publish();
}

void Collector::load_rounds(const StoredRound& last) {
  rounds_.clear();
  file_.each_round(std::min(oldest_kept(), last.round), [&](const StoredRound& round) {
    const bool needed =
        round.round + task().terms.staleness >= last.round || live_rounds_.contains(round.round);
    if (!needed) return;
    if (ledger::sha256(round.point) != round.model) {
      throw base::DataError(
          "the state '{}' was changed: the model of round {} is not what its digest says",
          file_.path().string(), round.round);
    }
    rounds_[round.round] = {model_mark(round.model), round.model,
                            std::make_shared<const std::string>(round.point)};
  });
}

void Collector::load_frames(const StoredRound& last) {
  report_ids_.clear();
  sequence_ = 0;
  const auto dropped = file_.dropped();
  dropped_ = count_dropped(dropped);
  Frame frame;
  file_.each_frame(1, [&](const StoredFrame& stored) {
    if (stored.sequence != ++sequence_ ||
        read_frame(stored.bytes, task().layout, frame) != FrameFault::none) {
      throw base::DataError("the state '{}' was changed: report {} is not what was counted",
                            file_.path().string(), sequence_);
    }
    report_ids_.insert(frame.report_id);
    if (stored.sequence > last.frames && !is_dropped(dropped, stored.sequence) &&
        learner_->add(frame.report) != RoundLearner::Step::open) {
      throw base::DataError("the state '{}' was changed: a round is missing",
                            file_.path().string());
    }
  });
}

void Collector::read_tokens() {
  std::unordered_map<TokenMac, Token, TokenHash> tokens;
  file_.each_token([&](const StoredToken& stored) {
    tokens[stored.mac] = {.counted = stored.counted,
                          .revoked = stored.revoked,
                          .missed = stored.missed,
                          .barred_until = stored.barred_until,
                          .expires = stored.expires};
  });
  read_slots(tokens);
  clock_ = std::numeric_limits<std::int64_t>::max();  // what the file says may be of another clock
  const std::unique_lock lock(tokens_mutex_);
  tokens_ = std::move(tokens);
}

bool Collector::handle(std::span<Application* const> group, std::int64_t now,
                       std::span<Application* const> waiting) {
  try {
    if (!loaded_) load();
    const auto round = learner_->round();
    const auto before = std::pair(sequence_, closed_);
    file_.transaction([&] {
      closed_ = file_.closed();
      set_clock(now);
      end_slots(now);
      asking_.clear();
      for (auto* application : group) decide(*application, now);
      share_slots(waiting, now);
    });
    if (round != learner_->round() || before != std::pair(sequence_, closed_)) publish();
    return true;
  } catch (const std::exception& error) {
    loaded_ = false;
    failure_ = error.what();
    for (const auto& all : {group, waiting}) {
      for (auto* application : all) {
        application->reason = Reason::storage;
        application->waits = false;
        application->slot.reset();
        application->retry_seconds = retry_after(application->mac, now);
      }
    }
    for (auto* application : waiting) application->waits = true;
    return false;
  }
}

void Collector::with_token(Application& application, const std::function<void(Token&)>& act) {
  const auto found = tokens_.find(application.mac);
  const bool stranger = found == tokens_.end();
  if (stranger && !application.certified) {
    application.reason = Reason::unknown_token;
    return;
  }
  Token fresh;
  Token& token = stranger ? fresh : found->second;
  act(token);
  // Whom a certificate brings is noted when something was granted: a refusal leaves no trace.
  if (!stranger || !(token.live || token.counted)) return;
  file_.put_token({.mac = application.mac});
  const std::unique_lock lock(tokens_mutex_);
  tokens_.emplace(application.mac, token);
}

void Collector::decide(Application& application, std::int64_t now) {
  application.waits = false;
  with_token(application, [&](Token& token) {
    if (token.revoked) {
      application.reason = Reason::ended_token;
    } else if (application.bytes.empty()) {
      ask_for_slot(application, token, now);
    } else {
      take_report(application, token, now);
    }
  });
}

/// A report for a slot that has not ended counts, however many rounds have passed: it was drawn
/// because the slot promised that.
std::optional<Reason> Collector::refuse_round(const Frame& frame, const Token& token) const {
  const auto now = static_cast<std::uint64_t>(rounds_.rbegin()->first);
  if (frame.round > now) return Reason::wrong_round;
  const auto round = static_cast<std::int64_t>(frame.round);
  const auto found = rounds_.find(round);
  const bool promised = token.live && token.slot_round == round;
  const bool fresh = now - frame.round <= static_cast<std::uint64_t>(task().terms.staleness);
  if (found == rounds_.end() || !(fresh || promised)) return Reason::too_late;
  if (found->second.mark != frame.model) return Reason::wrong_model;
  return std::nullopt;
}

/// Whether taking this report, which has no slot, would leave too few places for the devices that
/// have one, and may have drawn their reports already.
bool Collector::would_displace(const Token& token) const {
  return !token.live && wanted() <= live_slots_;
}

void Collector::take_report(Application& application, Token& token, std::int64_t now) {
  application.reason = judge_report(application, token, now);
  if (application.reason == Reason::round_full) {
    application.retry_seconds = retry_after(application.mac, now);
  }
  if (application.reason != Reason::counted || token.counted) return;
  file_.put_frame({++sequence_, application.mac, application.bytes}, application.frame.report_id);
  report_ids_.insert(application.frame.report_id);
  if (token.live) end_slot(token);
  token.counted = true;
  if (learner_->add(application.frame.report) == RoundLearner::Step::filled) begin_round();
}

Reason Collector::judge_report(const Application& application, const Token& token,
                               std::int64_t now) {
  if (token.counted) {
    const auto counted = file_.frame_of(application.mac);
    return counted && counted->bytes == application.bytes ? Reason::counted : Reason::used_token;
  }
  // A report needs no slot: one that is known from elsewhere must not bring an old token in.
  if (token.expired(now) && !token.live) return Reason::ended_token;
  if (finished()) return Reason::finished;
  if (const auto refused = refuse_round(application.frame, token)) return *refused;
  if (report_ids_.contains(application.frame.report_id)) return Reason::repeated_report;
  return would_displace(token) ? Reason::round_full : Reason::counted;
}

/// The first round whose point somebody may still ask for.
std::int64_t Collector::oldest_kept() const {
  const auto window = std::max<std::int64_t>(0, learner_->round() - task().terms.staleness);
  return live_rounds_.empty() ? window : std::min(window, live_rounds_.begin()->first);
}

void Collector::begin_round() {
  const auto bytes = learner_->bytes();
  auto point = model_bytes(learner_->point());
  const auto digest = ledger::sha256(point);
  file_.put_round({learner_->round(), sequence_, ledger::sha256(bytes), digest, point}, bytes,
                  oldest_kept());
  rounds_[learner_->round()] = {model_mark(digest), digest,
                                std::make_shared<const std::string>(std::move(point))};
  std::erase_if(rounds_, [this](const auto& one) {
    return one.first + task().terms.staleness < learner_->round() &&
           !live_rounds_.contains(one.first);
  });
}

void Collector::publish() {
  auto next = std::make_shared<PublicState>();
  next->round = learner_->round();
  next->reports = sequence_;
  next->finished = finished();
  next->closed = closed_;
  next->diverged = learner_->diverged();
  next->bounded = learner_->bounded();
  for (const auto& [number, round] : rounds_) next->models[round.digest] = round.point;
  const std::scoped_lock lock(published_mutex_);
  published_ = std::move(next);
}

}  // namespace tacet::local
