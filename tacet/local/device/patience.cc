#include "tacet/local/device/patience.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/local/protocol/messages.h"

namespace tacet::local {
namespace {

using std::chrono::milliseconds;

constexpr auto longest_pause = milliseconds(60000);
// No answer makes a device come again sooner. So a malicious or broken server costs it at most one
// request per second.
constexpr auto shortest_pause = milliseconds(1000);
// A slot, a model, a report, and one to spare follow each other at once.
constexpr std::int64_t requests_at_once = 4;
constexpr std::int64_t max_retry_seconds = 86400;  // seconds; patience ends before
// What the last attempt has, where patience leaves less: a server lets a request for a slot wait,
// for two seconds unless it is told otherwise, and a connection over TLS takes some round trips.
constexpr auto shortest_exchange = milliseconds(5000);

bool comes_again(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace

Patience::Patience(const DeviceContext& context, std::chrono::seconds max_time, std::uint64_t step)
    : context_(context), max_(max_time), step_(step) {
  if (max_time >= std::chrono::seconds(0) && max_time <= max_patience) return;
  throw base::UsageError("`patience` must be 0 to {} seconds, got {}", max_patience.count(),
                         max_time.count());
}

void Patience::pause(int attempt, milliseconds at_least, Clock::duration left) {
  if (!pauses_) {
    pauses_.emplace(context_.source.claim(random::Purpose::sampling, step_, 0, 1 << 24));
  }
  const auto base = std::min(longest_pause, shortest_pause * (1 << std::clamp(attempt, 0, 6)));
  const double share = static_cast<double>(pauses_->next() >> 11) * 0x1p-54;
  const auto jitter =
      milliseconds(static_cast<std::int64_t>(share * static_cast<double>(base.count())));
  const auto wanted = std::max(base, at_least) + jitter;
  // A server that asks for an hour gets what the device has: then one last attempt.
  context_.wait(std::clamp(std::chrono::ceil<milliseconds>(left), milliseconds(0), wanted));
}

HttpReply Patience::ask(const HttpRequest& request, Clock::time_point end) {
  const auto now = Clock::now();
  if (!begin_) begin_ = now;
  const auto due = *begin_ + shortest_pause * (asked_ - requests_at_once + 1);
  ++asked_;
  if (due > now) context_.wait(std::chrono::ceil<milliseconds>(due - now));
  auto timed = request;
  const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
  timed.max_time = std::min(timed.max_time, std::max(left, shortest_exchange));
  return context_.transport.exchange(timed);
}

HttpReply Patience::persist(const HttpRequest& request, const std::string& remains,
                            bool (*whole)(std::string_view body)) {
  const auto end = Clock::now() + max_;
  bool said = false;
  for (int attempt = 0;; ++attempt) {
    std::string why;
    std::int64_t retry_seconds = 0;
    try {
      auto reply = ask(request, end);
      const bool strange = reply.status == 200 && whole != nullptr && !whole(reply.body);
      if (!strange && !comes_again(reply.status)) return reply;
      retry_seconds = std::clamp(reply.retry_seconds, std::int64_t{0}, max_retry_seconds);
      why = strange ? "the answer with status 200 is none of the protocol" : error_code(reply.body);
      if (why == "round_full") attempt = 0;  // it is there, and says when
      if (why.empty()) why = fmt::format("the server answers with status {}", reply.status);
    } catch (const UntrustedServer& error) {
      throw UntrustedServer("{}; {}", error.what(), remains);
    } catch (const base::IoError& error) {
      why = error.what();
    }
    const auto now = Clock::now();
    if (now >= end) throw base::IoError("{}; {}", why, remains);
    if (!said && context_.say) context_.say(fmt::format("waiting for the server: {}", why));
    said = true;
    pause(attempt, std::chrono::seconds(retry_seconds), end - now);
  }
}

}  // namespace tacet::local
