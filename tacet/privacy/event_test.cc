#include "tacet/privacy/event.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::privacy {
namespace event_test {

using numeric::infinity;

std::vector<Event> one_of_each() {
  const Event gaussian = Gaussian{1.1};
  return {
      gaussian,
      Gaussian{infinity},
      Laplace{0.5},
      DiscreteGaussian{2.5, 3, 1},
      DiscreteLaplace{4.25, 1},
      PureDp{0.1, Adjacency::replace_one},
      ApproximateDp{0.1, 1e-7, Adjacency::add_remove},
      BoundedRange{0.3, Adjacency::zero_out},
      ScoreSelection{1.5, 0.1, 0.75, 0.2, 99901, 1000, Adjacency::add_remove},
      Zcdp{0.01, Adjacency::add_remove},
      Profile{{{0, 0.1}, {1, 1e-3}, {2, 0}}, Adjacency::replace_one},
      ObjectivePerturbation{4, 1, 0.25, 10, 1e-6, 0.01},
      ShuffledLocal{1, 1000},
      PoissonSampled{0.01, gaussian},
      FixedSizeSampled{10, 1000, gaussian},
      Partitioned{Assignment::by_position, {gaussian, Gaussian{2}}},
      Composed{{gaussian, Laplace{2}}},
      no_event(),
      Repeated{1000, PoissonSampled{0.01, gaussian}},
      RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 0, 0.1, 0, 0, 0, 100, gaussian},
      RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 10, 0, 0, 0, gaussian},
      RandomlyRepeated{RepetitionLaw::binomial, 0, 0, 0, 20, 0.5, 0, gaussian},
      PoissonSampled{0.01, gaussian, 4}};
}

TEST(Event, EveryKindSurvivesTheRoundTripThroughJson) {
  for (const auto& event : one_of_each()) {
    const auto text = event_to_json(event);
    EXPECT_EQ(event_from_json(text), event) << text;
    EXPECT_EQ(event_to_json(event_from_json(text)), text);
  }
}

// As written by version 1 from its first day: files of users hold these.
TEST(Event, TheTextOfEveryKindStaysAsItIs) {
  const std::string gaussian = R"({"kind":"gaussian","noise_multiplier":1.1})";
  const std::vector<std::string> texts = {
      gaussian,
      R"({"kind":"gaussian","noise_multiplier":"inf"})",
      R"({"kind":"laplace","noise_multiplier":0.5})",
      R"({"kind":"discrete_gaussian","sigma":2.5,"sensitivity":3,"dimension":1})",
      R"({"kind":"discrete_laplace","scale":4.25,"sensitivity":1})",
      R"({"kind":"pure_dp","epsilon":0.1,"adjacency":"replace_one"})",
      R"({"kind":"approximate_dp","epsilon":0.1,"delta":1e-07,"adjacency":"add_remove"})",
      R"({"kind":"bounded_range","epsilon":0.3,"adjacency":"zero_out"})",
      R"({"kind":"score_selection","eta":1.5,"score_bound":0.1,"l2_sensitivity":0.75,)"
      R"("range_sensitivity":0.2,"candidates":99901,"support":1000,"adjacency":"add_remove"})",
      R"({"kind":"zcdp","rho":0.01,"adjacency":"add_remove"})",
      R"({"kind":"profile","points":[[0.0,0.1],[1.0,0.001],[2.0,0.0]],"adjacency":"replace_one"})",
      R"({"kind":"objective_perturbation","sigma":4.0,"lipschitz":1.0,"smoothness":0.25,)"
      R"("regularization":10.0,"tolerance":1e-06,"output_sigma":0.01})",
      R"({"kind":"shuffled_local","local_epsilon":1.0,"reports":1000})",
      R"({"kind":"poisson_sampled","rate":0.01,"base":)" + gaussian + "}",
      R"({"kind":"fixed_size_sampled","sample_size":10,"population":1000,"base":)" + gaussian + "}",
      R"({"kind":"partitioned","assignment":"by_position","parts":[)" + gaussian +
          R"(,{"kind":"gaussian","noise_multiplier":2.0}]})",
      R"({"kind":"composed","parts":[)" + gaussian +
          R"(,{"kind":"laplace","noise_multiplier":2.0}]})",
      R"({"kind":"composed","parts":[]})",
      R"({"kind":"repeated","count":1000,"base":{"kind":"poisson_sampled","rate":0.01,"base":)" +
          gaussian + "}}",
      R"({"kind":"randomly_repeated","law":"truncated_negative_binomial","eta":0.0,"gamma":0.1,)"
      R"("cap":100,"base":)" +
          gaussian + "}",
      R"({"kind":"randomly_repeated","law":"poisson","mean":10.0,"cap":0,"base":)" + gaussian + "}",
      R"({"kind":"randomly_repeated","law":"binomial","trials":20,"probability":0.5,"cap":0,)"
      R"("base":)" +
          gaussian + "}",
      R"({"kind":"poisson_sampled","rate":0.01,"max_records_per_unit":4,"base":)" + gaussian + "}"};
  const auto events = one_of_each();
  ASSERT_EQ(events.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(event_to_json(events[i]), R"({"version":1,"event":)" + texts[i] + "}");
  }
}

TEST(Event, CopiesAreIndependentValues) {
  const Event original = Repeated{3, Gaussian{1}};
  auto copy = original;
  EXPECT_EQ(copy, original);
  copy = Event(Gaussian{2});
  EXPECT_NE(copy, original);
}

TEST(Event, InfinityIsWrittenAsAWord) {
  EXPECT_EQ(event_to_json(Gaussian{infinity}),
            R"({"version":1,"event":{"kind":"gaussian","noise_multiplier":"inf"}})");
}

TEST(Event, ValuesOutOfRangeCannotBeBuilt) {
  const Event g = Gaussian{1};
  EXPECT_THROW(Event(Gaussian{-1}), base::UsageError);
  EXPECT_THROW(Event(Gaussian{std::nan("")}), base::UsageError);
  EXPECT_THROW(Event(PoissonSampled{1.5, g}), base::UsageError);
  EXPECT_THROW(Event(PoissonSampled{-0.1, g}), base::UsageError);
  EXPECT_THROW(Event(Repeated{0, g}), base::UsageError);
  EXPECT_THROW(Event(FixedSizeSampled{11, 10, g}), base::UsageError);
  EXPECT_THROW(Event(ApproximateDp{1, 1.5, Adjacency::add_remove}), base::UsageError);
  EXPECT_THROW(Event(Profile{{}, Adjacency::add_remove}), base::UsageError);
  EXPECT_THROW(Event(Profile{{{1, 0.1}, {0, 0.2}}, Adjacency::add_remove}), base::UsageError);
  EXPECT_THROW(Event(Partitioned{Assignment::by_record, {}}), base::UsageError);
  EXPECT_THROW(
      Event(RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, -1, 0.1, 0, 0, 0, 0, g}),
      base::UsageError);
}

TEST(Event, ASampleHoldsWhatIsSampledFromIt) {
  const auto inner = [](std::int64_t population) {
    return Event(FixedSizeSampled{1, population, Gaussian{.01}});
  };
  EXPECT_NO_THROW(Event(FixedSizeSampled{100, 1000, inner(100)}));
  EXPECT_NO_THROW(Event(FixedSizeSampled{100, 1000, inner(7)}));
  for (const Event& wrapped :
       {inner(101), Event(Repeated{3, inner(101)}), Event(Composed{{Gaussian{1}, inner(101)}}),
        Event(PoissonSampled{.5, inner(101)}),
        Event(Partitioned{Assignment::by_position, {inner(5), inner(101)}}),
        Event(RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 5, 0, 0, 0, inner(101)}),
        Event(ShuffledLocal{1, 101})}) {
    EXPECT_THROW(Event(FixedSizeSampled{100, 1000, wrapped}), base::UsageError);
    EXPECT_NO_THROW(Event(FixedSizeSampled{101, 1000, wrapped}));
  }
}

void expect_data_error(const std::string& text, const std::string& part) {
  try {
    static_cast<void>(event_from_json(text));
    FAIL() << "accepted: " << text.substr(0, 200);
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

std::string wrap(const std::string& event) { return R"({"version":1,"event":)" + event + "}"; }

TEST(Event, MalformedTextIsADataErrorThatSaysWhy) {
  expect_data_error("", "not valid JSON");
  expect_data_error("{", "not valid JSON");
  expect_data_error(R"({"version":1,"event":{"kind":"gaussian","noise_mul)", "not valid JSON");
  expect_data_error("[]", "object");
  expect_data_error(R"({"event":{"kind":"gaussian","noise_multiplier":1}})", "'version'");
  expect_data_error(R"({"version":2,"event":{"kind":"gaussian","noise_multiplier":1}})", "version");
  expect_data_error(wrap(R"({"kind":"gausian","noise_multiplier":1})"), "unknown kind");
  expect_data_error(wrap(R"({"kind":"gaussian"})"), "'noise_multiplier' is missing");
  expect_data_error(wrap(R"({"kind":"gaussian","noise_multiplier":1,"sigma":2})"),
                    "unknown key 'sigma'");
  expect_data_error(wrap(R"({"kind":"gaussian","noise_multiplier":1,"noise_multiplier":2})"),
                    "repeated");
  expect_data_error(wrap(R"({"kind":"gaussian","noise_multiplier":-1})"), "0 or more");
  expect_data_error(wrap(R"({"kind":"laplace","noise_multiplier":-0.0})"), "0 or more");
  expect_data_error(wrap(R"({"kind":"discrete_laplace","scale":-0.0,"sensitivity":1})"),
                    "0 or more");
  expect_data_error(wrap(R"({"kind":"gaussian","noise_multiplier":"nan"})"), "number");
  expect_data_error(wrap(R"({"kind":"gaussian","noise_multiplier":1e999})"), "not valid JSON");
  expect_data_error(wrap(R"({"kind":"repeated","count":2.5,"base":{}})"), "integer");
  expect_data_error(wrap(R"({"kind":"repeated","count":18446744073709551615,"base":{}})"),
                    "integer");
  expect_data_error(wrap(R"({"kind":"pure_dp","epsilon":1,"adjacency":"swap"})"), "adjacency");
  expect_data_error(wrap(R"({"kind":"composed","parts":[{"kind":"zcdp"}]})"), "parts[0]");
}

TEST(Event, DepthAndSizeAreBounded) {
  const auto nest = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += R"({"kind":"repeated","count":1,"base":)";
    text += R"({"kind":"gaussian","noise_multiplier":1})" +
            std::string(static_cast<std::size_t>(levels), '}');
    return wrap(text);
  };
  EXPECT_NO_THROW(static_cast<void>(event_from_json(nest(max_event_depth - 1))));
  expect_data_error(nest(max_event_depth), "deeper");
  expect_data_error(nest(10000), "deeper");
  expect_data_error(std::string(200000, '['), "deeper");
  expect_data_error(std::string(max_event_bytes + 1, ' '), "at most");
}

}  // namespace event_test
}  // namespace tacet::privacy
