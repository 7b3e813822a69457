// Many devices in one process, for bench/local/local_serve.py: each record of a file takes part
// once.
//
//     local_devices URL TASK RECORDS TOKENS THREADS [LIARS [CA]]
//
// Record i has token i; records beyond the tokens stay at home. They are real devices but for what
// keeps a single one honest over time, its ledger and its folder. LIARS in a thousand send one
// fixed direction as long as it can be instead of a report. One JSON row at the end.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/local/http/http_client.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/protocol/task.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// What all threads share.
struct Crowd {
  const local::Task& task;
  const optimize::RecordGradient& gradients;
  mechanism::DeviceReports& reports;
  random::Source& source;
  const std::vector<std::string>& tokens;
  std::int64_t liars;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> counted{0};
};

constexpr int finished = 410;

/// Until there is a place. Who finds all of them taken has spent nothing yet.
local::HttpReply persist(local::Transport& transport, const local::HttpRequest& request) {
  for (;;) {
    auto reply = transport.exchange(request);
    if (reply.status == 200 || (reply.status == finished && request.body.empty())) return reply;
    if (reply.status != 503) throw base::IoError("the server says " + reply.body);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void take_part(Crowd& crowd, std::int64_t device, local::Transport& transport) {
  const auto& task = crowd.task;
  const auto& token = crowd.tokens[static_cast<std::size_t>(device)];
  const auto asked = persist(transport, {.method = "POST", .path = "/v1/slot", .token = token});
  if (asked.status == finished) return;
  const auto slot = local::slot_from_json(asked.body);
  const auto dimension = static_cast<std::size_t>(task.plan.columns);
  const auto point = local::model_from_bytes(
      persist(transport, {.path = "/v1/model/" + slot.model, .max_bytes = 8 * dimension}).body,
      dimension);
  random::Stream number(
      crowd.source.claim(random::Purpose::sampling, static_cast<std::uint64_t>(device), 1, 64));
  local::Frame frame{
      .round = slot.round, .model = local::model_mark(slot.model), .report_id = number.next()};
  frame.report = crowd.reports
                     .release(crowd.gradients.at(point, device),
                              {.step = static_cast<std::uint64_t>(device)}, crowd.source)
                     .value();
  if (device % 1000 < crowd.liars) {
    std::ranges::fill(frame.report.coordinates, 0);
    frame.report.coordinates.front() = 2147483647;
  }
  static_cast<void>(persist(transport, {.method = "POST",
                                        .path = "/v1/report",
                                        .token = token,
                                        .body = local::frame_bytes(frame, task.layout)}));
  ++crowd.counted;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int run(int argc, char** argv) {
  const auto task = local::load_task(argv[2]);
  const auto records = data::read_dataset(argv[3], task.schema);
  const auto tokens = lines_of(argv[4]);
  const auto count = std::min<std::int64_t>(records.rows(), std::ssize(tokens));
  const auto& randomizer = task.randomizer();
  const optimize::RecordGradient gradients(records, task.plan.loss,
                                           {.clipping_norm = randomizer.spec().clipping_norm,
                                            .norm_bits = randomizer.norm_bits(),
                                            .class_weights = task.plan.class_weights});
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
  auto reservation = budget.reserve(randomizer.event(), task.plan.guarantee);
  mechanism::DeviceReports reports(randomizer, records.rows(), 1, reservation);
  Crowd crowd{task, gradients, reports, *source, tokens, argc > 6 ? std::atoll(argv[6]) : 0};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[5]); ++i) {
    threads.emplace_back([&] {
      const auto transport = local::http_client(
          {.server = local::server_address(argv[1]), .ca = argc > 7 ? argv[7] : ""});
      for (auto device = crowd.next++; device < count; device = crowd.next++) {
        take_part(crowd, device, *transport);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::cout << fmt::format("{{\"devices\": {}, \"seconds\": {:.1f}, \"cpu_seconds\": {:.1f}}}\n",
                           crowd.counted.load(), seconds, cpu_seconds());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::cerr << "local_devices URL TASK RECORDS TOKENS THREADS [LIARS [CA]]\n";
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const base::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
