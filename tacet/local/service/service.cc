#include "tacet/local/service/service.h"

#include <utility>

#include "tacet/local/protocol/messages.h"

namespace tacet::local {
namespace {

constexpr std::string_view model_prefix = "/v1/model/";
constexpr std::int64_t soon = 1;  // seconds

HttpAnswer refusal(Reason reason, std::int64_t retry_seconds) {
  return {
      .status = http_status(reason), .body = error_json(reason), .retry_seconds = retry_seconds};
}

HttpAnswer plain_text(int status, std::string text) {
  return {.status = status, .body = std::move(text), .type = "text/plain; charset=utf-8"};
}

}  // namespace

Service::Service(const std::filesystem::path& state, const ServiceOptions& options)
    : log_(options.log),
      collector_(state),
      task_text_(std::make_shared<const std::string>(collector_.task().text)),
      reads_(options.requests_per_second),
      rates_(options.requests_per_second),
      writers_(collector_, counters_,
               {.max_queued = static_cast<std::size_t>(options.queue),
                .slot_wait = options.slot_wait,
                .log = options.log}) {}

Service::Path Service::path_of(const RequestHead& head) {
  if (head.path == "/v1/report") return Path::report;
  if (head.path == "/v1/slot") return Path::slot;
  if (head.path == "/v1/task") return Path::task;
  if (head.path.starts_with(model_prefix)) return Path::model;
  return Path::none;
}

HttpAnswer Service::refuse(Reason reason, std::int64_t retry_seconds) {
  counters_.count(reason);
  return refusal(reason, retry_seconds);
}

HttpAnswer Service::not_understood() { return refuse(Reason::bad_request); }
HttpAnswer Service::overloaded() { return refuse(Reason::busy, soon); }

std::optional<HttpAnswer> Service::admit(RequestHead& head) {
  const auto path = path_of(head);
  const auto refused = refusal_of(head, path);
  if (!refused) return std::nullopt;
  const bool asks = *refused == Reason::wrong_method && head.method == "OPTIONS";
  if (asks) return HttpAnswer{.status = 204, .allow = std::string(methods_of(path))};
  auto answer = refuse(*refused, *refused == Reason::too_often ? soon : 0);
  if (*refused == Reason::wrong_method) answer.allow = methods_of(path);
  return answer;
}

std::string_view Service::methods_of(Path path) {
  return path == Path::slot || path == Path::report ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

std::optional<Reason> Service::refusal_of(RequestHead& head, Path path) {
  if (path == Path::none) return Reason::unknown_path;
  const bool writes = path == Path::slot || path == Path::report;
  if (head.method != (writes ? "POST" : "GET")) return Reason::wrong_method;
  if (!writes && (head.other_length || head.length.value_or(0) > 0)) return Reason::bad_request;
  auto& rates = writes ? rates_ : reads_;
  if (!rates.allow(head.address, AddressRates::Clock::now())) return Reason::too_often;
  if (!writes) return std::nullopt;
  if (head.other_length || !head.length) return Reason::missing_length;
  if (*head.length != (path == Path::report ? task().layout.bytes() : 0)) {
    return Reason::wrong_length;
  }
  return refuse_token(head);
}

std::optional<Reason> Service::refuse_token(RequestHead& head) const {
  if (head.identity.empty()) {
    if (head.token.empty()) return Reason::missing_token;
    if (!head.secure && !head.loopback) return Reason::cleartext_token;
    if (!is_token(head.token)) return Reason::unknown_token;
  }
  head.note = mac_of(head);
  head.known = !head.identity.empty() || collector_.knows(head.note);
  return head.known ? std::nullopt : std::optional(Reason::unknown_token);
}

TokenMac Service::mac_of(const RequestHead& head) const {
  // No token is 66 characters long, so that no key is somebody's token.
  return collector_.mac_of(head.identity.empty() ? head.token : "k:" + head.identity);
}

void Service::answer(const RequestHead& head, std::string body,
                     std::function<void(HttpAnswer)> done) {
  const auto path = path_of(head);
  if (path == Path::task || path == Path::model) return done(read(head));
  Application application;
  application.mac = head.note;
  application.certified = !head.identity.empty();
  if (path == Path::report) {
    application.bytes = std::move(body);
    const auto fault = read_frame(application.bytes, task().layout, application.frame);
    if (fault != FrameFault::none) return done(refuse(reason_of(fault)));
  }
  auto respond = [done](const Application& decided) {
    if (decided.slot) return done({.body = slot_json(*decided.slot)});
    if (decided.reason == Reason::counted) return done({.body = counted_json()});
    done(refusal(decided.reason, decided.retry_seconds));
  };
  if (!writers_.submit(std::move(application), std::move(respond))) {
    done(refuse(Reason::busy, soon));
  }
}

HttpAnswer Service::read(const RequestHead& head) {
  if (path_of(head) == Path::task) return {.shared = task_text_, .cacheable = true};
  const auto published = collector_.published();
  const auto found = published->models.find(head.path.substr(model_prefix.size()));
  if (found == published->models.end()) return refuse(Reason::unknown_model);
  return {.shared = found->second, .type = "application/octet-stream", .cacheable = true};
}

ServiceSnapshot Service::snapshot() const {
  const auto published = collector_.published();
  return {.task = task().digest,
          .round = published->round,
          .rounds = task().plan.rounds,
          .reports = published->reports,
          .batch = task().plan.batch,
          .queued = writers_.queued(),
          .waiting = writers_.waiting(),
          .lapsed = collector_.lapsed(),
          .finished = published->finished,
          .closed = published->closed,
          .ready = writers_.ready(),
          .diverged = published->diverged,
          .rounds_cut = published->bounded.cut,
          .rounds_refused = published->bounded.refused,
          .log_lines_lost = log_ == nullptr ? 0 : log_->lost()};
}

std::optional<HttpAnswer> AdminService::admit(RequestHead& head) {
  if (head.method != "GET" || head.other_length || head.length.value_or(0) > 0) {
    auto answer = plain_text(405, "only GET and HEAD\n");
    answer.allow = "GET, HEAD";
    return answer;
  }
  return std::nullopt;
}

void AdminService::answer(const RequestHead& head, std::string /*body*/,
                          std::function<void(HttpAnswer)> done) {
  const auto snapshot = service_.snapshot();
  if (head.path == "/metrics") {
    auto answer = plain_text(200, metrics_text(snapshot, service_.counters(), http_));
    answer.type = "text/plain; version=0.0.4; charset=utf-8";
    return done(std::move(answer));
  }
  if (head.path == "/health") return done(plain_text(200, "alive\n"));
  if (head.path == "/ready") {
    return done(snapshot.ready ? plain_text(200, "ready\n") : plain_text(503, "not ready\n"));
  }
  if (head.path == "/") {
    return done({.body = status_page(snapshot, service_.counters(), http_),
                 .type = "text/html; charset=utf-8"});
  }
  done(plain_text(404, "there are /, /metrics, /health and /ready\n"));
}

HttpAnswer AdminService::not_understood() { return plain_text(400, "not a request\n"); }
HttpAnswer AdminService::overloaded() { return plain_text(503, "too much to do\n"); }

}  // namespace tacet::local
