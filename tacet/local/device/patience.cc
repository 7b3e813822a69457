#include "tacet/local/device/patience.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/local/protocol/messages.h"

namespace tacet::local {
namespace {

using std::chrono::milliseconds;

constexpr auto longest_pause = milliseconds(60000);

bool comes_again(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace

void Patience::pause(int attempt, std::int64_t retry_seconds, Clock::duration left) {
  if (!pauses_) {
    pauses_.emplace(context_.source.claim(random::Purpose::sampling, step_, 0, 1 << 24));
  }
  const auto base = std::min(longest_pause, milliseconds(250) * (1 << std::min(attempt, 8)));
  const double share = 0.5 + static_cast<double>(pauses_->next() >> 11) * 0x1p-54;
  const auto jittered =
      milliseconds(static_cast<std::int64_t>(share * static_cast<double>(base.count())));
  const auto wanted =
      retry_seconds > 0 ? milliseconds(1000 * retry_seconds) + jittered / 4 : jittered;
  // A server that asks for an hour gets what the device has: then one last attempt.
  context_.wait(std::min(wanted, std::chrono::ceil<milliseconds>(left)));
}

HttpReply Patience::persist(const HttpRequest& request, const std::string& remains) {
  const auto end = Clock::now() + max_;
  bool said = false;
  for (int attempt = 0;; ++attempt) {
    std::string why;
    std::int64_t retry_seconds = 0;
    try {
      auto reply = context_.transport.exchange(request);
      if (!comes_again(reply.status)) return reply;
      retry_seconds = reply.retry_seconds;
      why = error_code(reply.body);
      if (why == "round_full") attempt = 0;  // it is there, and says when
      if (why.empty()) why = fmt::format("the server answers with status {}", reply.status);
    } catch (const UntrustedServer&) {
      throw;
    } catch (const base::IoError& error) {
      why = error.what();
    }
    const auto now = Clock::now();
    if (now >= end) throw base::IoError("{}; {}", why, remains);
    if (!said && context_.say) context_.say(fmt::format("waiting for the server: {}", why));
    said = true;
    pause(attempt, retry_seconds, end - now);
  }
}

}  // namespace tacet::local
