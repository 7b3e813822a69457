#include "tacet/privacy/event_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace tacet::privacy {
namespace event_tree_test {

const Event tree = Repeated{
    3, Composed{{Gaussian{1}, PoissonSampled{.1, Laplace{2}},
                 Partitioned{Assignment::by_record, {Gaussian{4}, Repeated{5, Gaussian{1}}}}}}};

TEST(EventTree, WhatIsInsideIsTheBaseOrTheParts) {
  EXPECT_TRUE(inside(Gaussian{1}).empty());
  EXPECT_TRUE(inside(no_event()).empty());
  ASSERT_EQ(inside(tree).size(), 1U);
  EXPECT_EQ(inside(inside(tree).front()).size(), 3U);
  const Event subset = FixedSizeSampled{1, 2, Gaussian{3}};
  EXPECT_EQ(inside(subset).front(), Event(Gaussian{3}));
  const Event selected = RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 2, 0, 0, 0, Laplace{1}};
  EXPECT_EQ(inside(selected).front(), Event(Laplace{1}));
}

TEST(EventTree, SomewhereIsTheEventOrAnyInside) {
  const auto laplace = [](const Event& event) { return event.as<Laplace>() != nullptr; };
  EXPECT_TRUE(holds_somewhere(tree, laplace));
  EXPECT_TRUE(holds_somewhere(Laplace{1}, laplace));
  EXPECT_FALSE(holds_somewhere(Repeated{2, Composed{{Gaussian{1}}}}, laplace));
}

TEST(EventTree, AFoldSeesTheValuesBelowInOrder) {
  const auto text = fold<std::string>(tree, [](const Event& event, auto values) {
    return std::accumulate(values.begin(), values.end(), kind_name(event).substr(0, 2) + "(") + ")";
  });
  EXPECT_EQ(text, "re(co(ga()po(la())pa(ga()re(ga()))))");
}

TEST(EventTree, ChangingWhatIsInsideKeepsTheFieldsAround) {
  const auto doubled = [](const Event& event) { return Event(Repeated{2, event}); };
  EXPECT_EQ(with_inside(PoissonSampled{.25, Gaussian{1}, 7}, doubled),
            Event(PoissonSampled{.25, Repeated{2, Gaussian{1}}, 7}));
  EXPECT_EQ(with_inside(Composed{{Gaussian{1}, Laplace{2}}}, doubled),
            Event(Composed{{Repeated{2, Gaussian{1}}, Repeated{2, Laplace{2}}}}));
  EXPECT_EQ(with_inside(Gaussian{1}, doubled), Event(Gaussian{1}));
}

TEST(EventTree, ReleasesComeWithHowOftenTheyOccur) {
  std::vector<std::int64_t> times;
  EXPECT_TRUE(each_release(tree, [&](const Event&, std::int64_t count) {
    times.push_back(count);
    return true;
  }));
  EXPECT_EQ(times, (std::vector<std::int64_t>{3, 3, 3}));  // blocks and samples are one release
  const auto many = std::int64_t{1} << 62;
  const auto any = [](const Event&, std::int64_t) { return true; };
  EXPECT_FALSE(each_release(Repeated{many, Repeated{2, Gaussian{1}}}, any));
  EXPECT_FALSE(each_release(tree, [](const Event&, std::int64_t) { return false; }));
}

}  // namespace event_tree_test
}  // namespace tacet::privacy
