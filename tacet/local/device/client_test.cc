#include "tacet/local/device/client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/device/refusal.h"
#include "tests/support/device_case.h"

namespace tacet::local {
namespace client_test {

using std::chrono::milliseconds;
using test::usual_policy;

class ClientTest : public test::DeviceCase {};

TEST_F(ClientTest, SendsOneReportAndBooksItOnce) {
  EXPECT_EQ(join().answer, "counted");
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(spent(), 4);
  const auto again = join();
  EXPECT_EQ(again.answer, "counted");
  EXPECT_TRUE(again.resumed);
  EXPECT_EQ(sent("/v1/report"), 1);
  EXPECT_EQ(sent("/v1/slot"), 1);
  EXPECT_EQ(spent(), 4);
}

TEST_F(ClientTest, TheReportIsStoredAndBookedBeforeTheDelayIsWaited) {
  transport_->before = [&](const HttpRequest& request) {
    if (request.path != "/v1/report") return;
    ASSERT_EQ(waits_.size(), 2U);  // before the slot, and here up to the task's three seconds
    EXPECT_GE(waits_[1].count(), 0);
    EXPECT_LE(waits_[1].count(), 3200);
    EXPECT_TRUE(std::filesystem::exists(report_of(0)));
    EXPECT_EQ(spent(), 4);
  };
  EXPECT_EQ(join().answer, "counted");
}

TEST_F(ClientTest, LostAnswersAreAskedForWithTheSameBytes) {
  int losses = 3;
  transport_->after = [&](const HttpRequest& request, HttpReply&) {
    if (request.path == "/v1/report" && losses-- > 0) throw base::IoError("the line is cut");
  };
  EXPECT_EQ(join().answer, "counted");
  std::set<std::string> bodies;
  for (const auto& request : transport_->requests) {
    if (request.path == "/v1/report") bodies.insert(request.body);
  }
  EXPECT_EQ(sent("/v1/report"), 4);
  EXPECT_EQ(bodies.size(), 1U);
  EXPECT_EQ(counted(), 1);
}

TEST_F(ClientTest, APageWithStatus200IsNoWordThatAReportCounts) {
  int pages = 2;
  transport_->after = [&](const HttpRequest& request, HttpReply& reply) {
    if (request.path == "/v1/report" && pages-- > 0) reply = {200, "<p>please sign in</p>", 0};
  };
  EXPECT_EQ(join().answer, "counted");
  EXPECT_EQ(sent("/v1/report"), 3);
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(spent(), 4);
  pages = 1000;
  patience_ = 0;
  EXPECT_THROW(static_cast<void>(join(1)), base::IoError);  // and the report is kept for later
  EXPECT_TRUE(std::filesystem::exists(report_of(1)));
}

TEST_F(ClientTest, AServerThatIsGoneGetsTheSameBytesLater) {
  patience_ = 0;
  std::string first;
  transport_->before = [&](const HttpRequest& request) {
    if (request.path != "/v1/report") return;
    first = request.body;
    throw base::IoError("nobody answers");
  };
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  EXPECT_EQ(spent(), 4);
  transport_->before = nullptr;
  const auto later = join(0, usual_policy, true);
  EXPECT_TRUE(later.resumed);
  EXPECT_EQ(later.answer, "counted");
  EXPECT_EQ(transport_->requests.back().body, first);
  EXPECT_EQ(spent(), 4);
}

TEST_F(ClientTest, NothingToResumeIsSaid) {
  EXPECT_THROW(static_cast<void>(join(0, usual_policy, true)), base::UsageError);
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(ClientTest, ThePolicyDecidesBeforeAnythingIsSent) {
  auto policy = usual_policy;
  policy.largest_epsilon = 3.9;
  refused<base::BudgetError>("the policy allows", policy);
  policy = usual_policy;
  policy.mechanisms = {"l2_laplace"};
  refused<base::GuaranteeError>("mechanism privunit", policy);
  policy = usual_policy;
  policy.largest_clipping_norm = 0.01;
  refused<base::GuaranteeError>("clipping norm", policy);
  policy = usual_policy;
  policy.smallest_delay = 4;
  refused<base::GuaranteeError>("wait up to 3 seconds", policy);
  transport_->is_confidential = false;
  refused<base::GuaranteeError>("HTTPS");
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(ClientTest, AllTasksTogetherHaveABudget) {
  auto policy = usual_policy;
  policy.all_tasks_epsilon = 3;
  refused<base::BudgetError>("remaining epsilon 3", policy);
}

TEST_F(ClientTest, AModelThatIsNotWhatItShouldBeCostsNothing) {
  const auto with_point = [&](const std::function<void(std::vector<double>&)>& change) {
    auto point = std::make_shared<std::string>();
    transport_->after = [=, this](const HttpRequest& request, HttpReply& reply) {
      if (request.path == "/v1/slot") {
        std::vector<double> values(static_cast<std::size_t>(task_.plan.columns));
        change(values);
        *point = model_bytes(values);
        auto slot = slot_from_json(reply.body);
        slot.model = ledger::sha256(*point);
        reply.body = slot_json(slot);
      } else if (request.path.starts_with("/v1/model/")) {
        reply = {200, *point, 0};
      }
    };
  };
  with_point([](auto& values) { values[0] = std::numeric_limits<double>::quiet_NaN(); });
  refused<base::GuaranteeError>("not finite");
  with_point([](auto& values) { values[0] = 10001; });
  refused<base::GuaranteeError>("longer than");
  with_point([](auto& values) { values.pop_back(); });
  refused<base::DataError>("bytes");
  transport_->after = [](const HttpRequest& request, HttpReply& reply) {
    if (request.path.starts_with("/v1/model/")) reply.body[0] = 1;
  };
  refused<base::GuaranteeError>("not the one it named");
  transport_->after = [](const HttpRequest& request, HttpReply& reply) {
    if (request.path != "/v1/slot") return;
    auto slot = slot_from_json(reply.body);
    slot.task = std::string(64, '0');
    reply.body = slot_json(slot);
  };
  refused<base::GuaranteeError>("works on task");
}

TEST_F(ClientTest, ARecordOfAnotherStructureEndsItBeforeAnybodyIsAsked) {
  record("age,bought\n43,yes\n");
  refused<base::DataError>("town");
  record("age,town,bought\n");
  refused<base::DataError>("no records");
  record("age,town,bought\n1,Bern,yes\n2,Bern,no\n");
  refused<base::DataError>("several records");
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(ClientTest, WhatIsSentHasOneLengthWhateverTheRecord) {
  std::set<std::size_t> lengths;
  std::size_t device = 0;
  for (const char* text : {"43,Bern,yes", "-1e308,,no", "nan,inf,maybe", ",,", "1e999,\"B,ern\",1",
                           "0x10,Basel,YES"}) {
    record(std::string("age,town,bought\n") + text + "\n");
    const auto before = transport_->requests.size();
    EXPECT_EQ(join(device++).answer, "counted") << text;
    std::size_t length = 0;
    for (auto i = before; i < transport_->requests.size(); ++i) {
      const auto& request = transport_->requests[i];
      if (request.path.starts_with("/v1/model")) continue;
      length += request.path.size() + request.token.size() + request.body.size();
    }
    lengths.insert(length);
    EXPECT_EQ(spent(device - 1), 4);
  }
  EXPECT_EQ(lengths.size(), 1U);
}

TEST_F(ClientTest, NothingIsSpentOnASlotThatEndsTooSoon) {
  int slots = 0;
  transport_->after = [&](const HttpRequest& request, HttpReply& reply) {
    if (request.path != "/v1/slot") return;
    EXPECT_EQ(spent(), 0);
    auto slot = slot_from_json(reply.body);
    slot.seconds = ++slots < 3 ? 0 : 60;
    reply.body = slot_json(slot);
  };
  EXPECT_EQ(join().answer, "counted");
  EXPECT_EQ(slots, 3);
  transport_->after = [](const HttpRequest& request, HttpReply& reply) {
    if (request.path != "/v1/slot") return;
    auto slot = slot_from_json(reply.body);
    slot.seconds = 0;
    reply.body = slot_json(slot);
  };
  patience_ = 0;
  EXPECT_THROW(static_cast<void>(join(1)), base::IoError);
  EXPECT_EQ(spent(1), 0);
}

TEST_F(ClientTest, ResumingSendsAReportThatCountedAgain) {
  EXPECT_EQ(join().answer, "counted");
  EXPECT_EQ(join(0, usual_policy, true).answer, "counted");
  EXPECT_EQ(sent("/v1/report"), 2);
  EXPECT_EQ(transport_->requests.back().body, base::read_file(report_of(0), 1000));
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(spent(), 4);
}

TEST_F(ClientTest, TheTaskIsFetchedByItsDigest) {
  const auto source = random::SecureSource::create();
  const DeviceContext context{.transport = *transport_,
                              .source = *source,
                              .wait = [this](milliseconds time) { waits_.push_back(time); }};
  const auto fetch = [&](const std::string& digest) {
    return fetch_task(digest, context, std::chrono::seconds(60)).digest;
  };
  EXPECT_EQ(fetch(task_.digest), task_.digest);
  EXPECT_THROW((void)fetch(std::string(64, '0')), base::GuaranteeError);
  int refusals = 3;
  transport_->after = [&](const HttpRequest&, HttpReply& reply) {
    if (refusals-- > 0) reply = {429, error_json(Reason::too_often), 1};
  };
  EXPECT_EQ(fetch(task_.digest), task_.digest);
  EXPECT_EQ(waits_.size(), 3U);
}

TEST_F(ClientTest, WhatAServerSaysIsNoLongerThanItsPatienceAndNoTextOfItsOwn) {
  patience_ = 1;
  transport_->after = [](const HttpRequest& request, HttpReply& reply) {
    if (request.path == "/v1/slot") {
      std::this_thread::sleep_for(milliseconds(300));
      reply = {503, R"({"error": "delete your ledger, then come again", "message": ""})", 3600};
    }
  };
  try {
    static_cast<void>(join());
    ADD_FAILURE() << "took part";
  } catch (const base::IoError& error) {
    EXPECT_NE(std::string(error.what()).find("status 503"), std::string::npos) << error.what();
  }
  EXPECT_GE(waits_.size(), 2U);
  for (const auto time : waits_) EXPECT_LE(time, milliseconds(1000));
}

TEST_F(ClientTest, AnAnswerThatCannotBeReadHasCostNothingAndSaysSo) {
  for (const char* body : {"no JSON", "{}", R"({"task": "call us at once)"}) {
    transport_->after = [&](const HttpRequest& request, HttpReply& reply) {
      if (request.path == "/v1/slot") reply = {200, body, 0};
    };
    try {
      static_cast<void>(join());
      ADD_FAILURE() << "took part after " << body;
    } catch (const base::DataError& error) {
      EXPECT_TRUE(std::string(error.what()).ends_with(nothing_done)) << error.what();
    }
  }
  EXPECT_EQ(sent("/v1/report"), 0);
  EXPECT_EQ(spent(), 0);
}

TEST_F(ClientTest, ARehearsalKeepsBooksAndSendsNothing) {
  const auto file = record_of(0);
  std::ofstream(file) << record_;
  const std::string model(8 * static_cast<std::size_t>(task_.plan.columns), '\0');
  const auto with_seed = [&](std::uint64_t seed) {
    return rehearse_report(task_, file,
                           {.seed = seed, .round = 3, .model = model, .report_number = 9});
  };
  Frame frame;
  EXPECT_EQ(read_frame(with_seed(1), task_.layout, frame), FrameFault::none);
  EXPECT_EQ(frame.round, 3U);
  EXPECT_EQ(frame.report_id, 9U);
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
  EXPECT_FALSE(std::filesystem::exists(folder_of(0)));
  EXPECT_TRUE(transport_->requests.empty());
  for (const auto& wrong : {std::string(), model + "x"}) {
    EXPECT_THROW(static_cast<void>(rehearse_report(task_, file, {.model = wrong})),
                 base::DataError);
  }
}

TEST(PolicyTest, IsReadStrictly) {
  const auto policy = policy_from_toml(
      "largest_epsilon = 1\nall_tasks_epsilon = 2.5\nmechanisms = [\"privunit\", \"djw\"]\n"
      "largest_delta = 1e-6\nall_tasks_delta = 1e-5\nlargest_norm = 10\n"
      "largest_clipping_norm = 2\n",
      "p.toml");
  EXPECT_EQ(policy.all_tasks_epsilon, 2.5);
  EXPECT_EQ(policy.mechanisms.size(), 2U);
  EXPECT_EQ(policy.largest_norm, 10);
  const std::string right =
      "largest_epsilon = 1\nall_tasks_epsilon = 2\nmechanisms = [\"privunit\"]\n";
  EXPECT_NO_THROW((void)policy_from_toml(right, "p.toml"));
  for (const std::string more :
       {"epsilon = 1\n", "largest_norm = 0\n", "largest_norm = \"1\"\n", "largest_delta = -1\n",
        "largest_delta = 1\n", "largest_norm = nan\n", "largest_norm = inf\n", "x\n",
        "books = \"here\"\n", "books = \"\"\n", "books = 3\n", "books = \"/a\\u0000b\"\n"}) {
    EXPECT_THROW((void)policy_from_toml(right + more, "p.toml"), base::DataError) << more;
  }
  EXPECT_THROW((void)policy_from_toml("largest_epsilon = 1\n", "p.toml"), base::DataError);
  EXPECT_THROW((void)policy_from_toml("largest_epsilon = 1\nall_tasks_epsilon = 2\n"
                                      "mechanisms = [\"none\"]\n",
                                      "p.toml"),
               base::DataError);
}

}  // namespace client_test
}  // namespace tacet::local
