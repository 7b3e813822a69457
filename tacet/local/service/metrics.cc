#include "tacet/local/service/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::local {
namespace {

std::string metric(std::string_view name, std::string_view kind, std::string_view help,
                   std::int64_t value) {
  return fmt::format("# HELP tacet_{0} {2}\n# TYPE tacet_{0} {1}\ntacet_{0} {3}\n", name, kind,
                     help, value);
}

bool is_success(Reason reason) { return reason == Reason::counted || reason == Reason::slot; }

}  // namespace

void TimeHistogram::add(std::chrono::nanoseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bucket = std::ranges::lower_bound(bounds, seconds) - bounds.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  nanoseconds_ += time.count();
}

std::string TimeHistogram::text(std::string_view name, std::string_view help) const {
  auto out = fmt::format("# HELP tacet_{0} {1}\n# TYPE tacet_{0} histogram\n", name, help);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    total += counts_[i];
    const auto bound = i < bounds.size() ? fmt::format("{}", bounds[i]) : std::string("+Inf");
    out += fmt::format("tacet_{}_bucket{{le=\"{}\"}} {}\n", name, bound, total);
  }
  return out + fmt::format("tacet_{0}_sum {1}\ntacet_{0}_count {2}\n", name,
                           static_cast<double>(nanoseconds_) * 1e-9, total);
}

std::string metrics_text(const ServiceSnapshot& snapshot, const ServiceCounters& counters,
                         const HttpCounters& http) {
  auto out =
      metric("reports_accepted", "gauge", "Reports counted so far.", snapshot.reports) +
      metric("rounds", "gauge", "Rounds that are complete.", snapshot.round) +
      metric("rounds_planned", "gauge", "Rounds of the task.", snapshot.rounds) +
      metric("rounds_cut", "gauge", "Rounds with a report longer than honest devices'.",
             snapshot.rounds_cut) +
      metric("rounds_refused", "gauge", "Rounds whose step would have left the learner's domain.",
             snapshot.rounds_refused) +
      metric("diverged", "gauge", "1 where more than half of the rounds would have left it.",
             snapshot.diverged ? 1 : 0) +
      metric("queue", "gauge", "Requests that wait for a commit.", snapshot.queued) +
      metric("slot_requests_waiting", "gauge", "Requests that wait for a slot.", snapshot.waiting) +
      metric("slots_lapsed_total", "counter", "Slots that ended without a report.",
             snapshot.lapsed) +
      metric("log_lines_lost_total", "counter", "Lines of the log that could not be written.",
             snapshot.log_lines_lost) +
      metric("finished", "gauge", "1 when no report is taken any more.",
             snapshot.finished ? 1 : 0) +
      metric("ready", "gauge", "1 while the state can be written.", snapshot.ready ? 1 : 0) +
      metric("connections", "gauge", "Open connections.", http.open) +
      metric("connections_total", "counter", "Connections accepted.", http.opened) +
      metric("connections_refused_total", "counter", "Beyond the limits.", http.refused) +
      metric("connections_ended_early_total", "counter",
             "Idle ones without a token, ended when places were short.", http.ended_early) +
      metric("handshakes_failed_total", "counter", "TLS handshakes that failed.",
             http.failed_handshakes) +
      metric("timeouts_total", "counter", "Requests that came too slowly.", http.timeouts) +
      metric("truncated_total", "counter", "Requests that ended before they were whole.",
             http.truncated) +
      metric("malformed_total", "counter", "Bytes that were no request.", http.not_understood) +
      metric("connections_failed_total", "counter", "Ended for lack of memory, say.",
             http.failures) +
      metric("requests_total", "counter", "Requests read.", http.requests) +
      metric("bytes_in_total", "counter", "Bytes received.", http.bytes_in) +
      metric("bytes_out_total", "counter", "Bytes sent.", http.bytes_out);
  out +=
      "# HELP tacet_answers_total Answers to slots and reports, and refusals, by reason.\n"
      "# TYPE tacet_answers_total counter\n";
  for (const auto& reason : reason_names.all) {
    out += fmt::format("tacet_answers_total{{reason=\"{}\"}} {}\n", reason.text,
                       counters.of(reason.value));
  }
  return out + counters.requests.text("request_seconds", "Slots and reports, until the answer.") +
         counters.commits.text("commit_seconds", "Groups, until they are durable.");
}

std::string status_page(const ServiceSnapshot& snapshot, const ServiceCounters& counters,
                        const HttpCounters& http) {
  const auto row = [](std::string_view name, const auto& value) {
    return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
  };
  auto out = std::string(
                 "<!doctype html><meta charset=\"utf-8\"><title>tacet</title>"
                 "<style>body{font:16px sans-serif;margin:2em}th{text-align:left;"
                 "padding-right:2em}</style><h1>tacet serve</h1><table>\n") +
             row("task", snapshot.task) +
             row("state", fmt::format("{}{}",
                                      !snapshot.closed.empty() ? snapshot.closed
                                      : snapshot.finished      ? "finished"
                                      : snapshot.ready         ? "open"
                                                               : "not ready",
                                      snapshot.diverged ? ", diverged" : "")) +
             row("rounds", fmt::format("{} of {}", snapshot.round, snapshot.rounds)) +
             row("bounded rounds",
                 fmt::format("{} cut, {} refused", snapshot.rounds_cut, snapshot.rounds_refused)) +
             row("reports", fmt::format("{}, {} a round", snapshot.reports, snapshot.batch)) +
             row("slots that ended without a report", snapshot.lapsed) +
             row("connections", http.open.load());
  for (const auto& reason : reason_names.all) {
    const auto count = counters.of(reason.value);
    if (count == 0) continue;
    out += row(is_success(reason.value) ? fmt::format("answered {}", reason.text)
                                        : fmt::format("refused {}", reason.text),
               count);
  }
  return out + "</table>\n";
}

}  // namespace tacet::local
