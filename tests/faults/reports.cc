// Faults of the reports that devices randomise by themselves.

#include <chrono>
#include <cmath>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/local/device/client.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/mechanism/local/sphere_report.h"
#include "tacet/privacy/certifier.h"
#include "tests/faults/fault_tests.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/service_transport.h"

namespace tacet::faults {
namespace {

using mechanism::LocalMechanism;
using mechanism::LocalRandomizer;
using mechanism::ReleaseContext;
using privacy::Adjacency;

/// Reports of one direction at either end of its bound: the first number.
audit::Subject subject_of_reports(const mechanism::LocalSpec& spec) {
  const auto how = LocalRandomizer::calibrate(spec);
  return subject_of(
      how.event(), {spec.epsilon, 0, Adjacency::replace_one},
      [=](bool other, const ReleaseContext& context) {
        const auto whole = std::int64_t{1} << how.norm_bits();
        const auto proof = privacy::Certifier::clipped();
        std::vector<std::int64_t> gradient(static_cast<std::size_t>(how.spec().dimension), 0);
        gradient[0] = other ? whole : -whole;
        auto certified = privacy::PartialSum::from_certified(
            proof,
            privacy::BoundedSum::from_certified(
                proof, std::move(gradient), std::ldexp(how.spec().clipping_norm, -how.norm_bits()),
                whole),
            privacy::OneRecord{0});
        const auto report = mechanism::release_report(std::move(certified), how, context.address,
                                                      context.source, context.reservation);
        return static_cast<double>(report.value().coordinates[0]);
      });
}

Finding reports(LocalMechanism mechanism) {
  return audited(
      subject_of_reports(
          {.mechanism = mechanism, .dimension = 1, .embedding = mechanism::Embedding::sign}),
      10000);
}

Finding cap_with_the_wrong_tail() {
  return audited(subject_of_reports({.mechanism = LocalMechanism::privunit, .dimension = 8}),
                 10000);
}

/// A lie is at least as likely as 1 / (1 + e^epsilon).
Finding odds_of_the_bit_rounded_up() {
  const auto how = LocalRandomizer::calibrate({.mechanism = LocalMechanism::djw,
                                               .epsilon = 1,
                                               .dimension = 1,
                                               .embedding = mechanism::Embedding::sign});
  return certain(static_cast<long double>(how.bit().smaller) < 1 / (1 + std::exp(1.0L)), 1);
}

/// As many candidates whatever the bit says.
Finding candidates_until_the_bit_agrees() {
  const mechanism::CapPlan plan{mechanism::CapShape::angle, 3, 1};
  const auto cap = mechanism::make_cap(plan, mechanism::best_threshold(plan));
  const std::vector<std::int64_t> u(3, 1 << 20);
  const auto direction = mechanism::make_direction(u);
  random::SeededSource source(11);
  constexpr std::int64_t runs = 100;
  bool told = false;
  for (std::int64_t run = 0; run < runs; ++run) {
    const random::KeystreamBlock block(source.claim(
        random::Purpose::noise, static_cast<std::uint64_t>(run), 0, mechanism::sphere_words(cap)));
    mechanism::CandidateReader reader(block, cap.scale);
    const auto inside = mechanism::choose_candidate(reader, cap, direction, true);
    const auto outside = mechanism::choose_candidate(reader, cap, direction, false);
    told = told || inside.draws != outside.draws;
  }
  return certain(told, runs);
}

/// Every second report is odd, of wide noise too.
Finding float_reports() {
  constexpr std::int64_t runs = 500;
  const auto subject = subject_of_reports(
      {.mechanism = LocalMechanism::l2_laplace, .epsilon = 1.0 / 64, .dimension = 1});
  std::vector<double> out(runs);
  subject.draw(false, 1, out);
  std::int64_t odd = 0;
  for (const double number : out) odd += std::fmod(number, 2) != 0 ? 1 : 0;
  return share_is(0.5, odd, runs);
}

/// A device that got no answer and takes part again sends the bytes that it has stored.
Finding fresh_report_on_retry() {
  const test::ScratchFolder folder;
  const auto state = folder.path() / "task.state";
  const auto record = folder.path() / "record.csv";
  const auto task = test::small_task({.delay_seconds = 3});
  static_cast<void>(local::StateFile::make(state, task));
  const auto token = local::StateFile(state, ledger::Access::write).enrol(1).front();
  local::Service service(state, local::ServiceOptions{.requests_per_second = 1e6});
  test::ServiceTransport transport(service);
  std::vector<std::string> sent;
  transport.before = [&](const local::HttpRequest& request) {
    if (request.path != "/v1/report") return;
    sent.push_back(request.body);
    if (sent.size() == 1) throw base::IoError("nobody answers");
  };
  std::ofstream(record) << "age,town,bought\n43,Bern,yes\n";
  const auto take_part = [&] {
    const auto source = random::SecureSource::create();
    static_cast<void>(local::take_part(
        {.task = task,
         .policy = {.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}},
         .record = record,
         .folder = folder.path() / "device",
         .token = token,
         .patience = std::chrono::seconds(0)},
        {.transport = transport, .source = *source, .wait = [](std::chrono::milliseconds /*time*/) {
         }}));
  };
  try {
    take_part();
  } catch (const base::IoError&) {  // the device gives up, for now
    take_part();
  }
  if (sent.size() != 2) throw base::InternalError("a device that did not send twice");
  return certain(sent[0] != sent[1], 2);
}

constexpr FaultTest tests[] = {
    {"gradients_at_one_bound", [] { return reports(LocalMechanism::l2_laplace); }},
    {"response_with_wrong_odds", [] { return reports(LocalMechanism::djw); }},
    {"cap_with_the_wrong_tail", cap_with_the_wrong_tail},
    {"odds_of_the_bit_rounded_up", odds_of_the_bit_rounded_up},
    {"candidates_until_the_bit_agrees", candidates_until_the_bit_agrees},
    {"float_reports", float_reports},
    {"fresh_report_on_retry", fresh_report_on_retry}};

}  // namespace

std::span<const FaultTest> report_tests() { return tests; }

}  // namespace tacet::faults
