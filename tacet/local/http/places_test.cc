#include "tacet/local/http/places.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tacet::local::internal {
namespace places_test {

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() {
    limits_.connections = 16;  // two of them for those vouched for
    limits_.connections_per_address = 8;
  }
  std::shared_ptr<ConnectionPlaces::Place> enter(const std::string& address) {
    auto place = places_.enter(address, false);
    const auto number = next_++;
    if (place) place->on_end([this, number] { ended_.push_back(number); });
    return place;
  }
  std::vector<std::shared_ptr<ConnectionPlaces::Place>> fill() {
    std::vector<std::shared_ptr<ConnectionPlaces::Place>> all;
    for (int i = 0; i < 14; ++i) all.push_back(enter("address" + std::to_string(i / 7)));
    EXPECT_TRUE(ended_.empty());
    return all;
  }

  HttpLimits limits_;
  HttpCounters counters_;
  ConnectionPlaces places_{limits_, counters_};
  int next_ = 0;
  std::vector<int> ended_;
};

TEST_F(PlacesTest, WhoWaitsLongestWithoutATokenGoesFirst) {
  auto all = fill();
  all[0]->work();
  all[0]->wait();  // its request was answered: it waits since just now
  all[1]->work();
  EXPECT_TRUE(enter("new"));
  EXPECT_EQ(ended_, std::vector{2});
  EXPECT_EQ(counters_.open, 13);  // the new one is gone again, and the one that was ended
  all[2].reset();
  EXPECT_EQ(counters_.open, 13);
}

TEST_F(PlacesTest, WhoIsAnsweredOrVouchedForStays) {
  auto all = fill();
  for (std::size_t i = 0; i < 12; ++i) all[i]->work();
  all[12]->vouch("token");
  all[13]->vouch("other");
  auto first = enter("new");  // the places of those vouched for are not counted among the rest
  auto second = enter("new");
  EXPECT_TRUE(first && second);
  EXPECT_TRUE(ended_.empty());
  EXPECT_TRUE(enter("more"));
  EXPECT_EQ(ended_, std::vector{14});  // the first of the new ones
  second->work();
  EXPECT_TRUE(enter("more"));
  second->wait();
  for (std::size_t i = 0; i < 12; ++i) all[i]->vouch("token" + std::to_string(i));
}

TEST_F(PlacesTest, WhereAllAreAnsweredNobodyComesIn) {
  auto all = fill();
  for (const auto& one : all) one->work();
  EXPECT_FALSE(enter("new"));
  EXPECT_TRUE(ended_.empty());
  all[3].reset();
  EXPECT_TRUE(enter("new"));
}

TEST_F(PlacesTest, ATokenVouchesForFewConnections) {
  limits_.connections = 1000;
  std::vector<std::shared_ptr<ConnectionPlaces::Place>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(enter(std::to_string(i)));
    all.back()->work();
    all.back()->vouch("token");
    all.back()->wait();
  }
  limits_.connections = 20;
  std::vector<std::shared_ptr<ConnectionPlaces::Place>> others;
  for (int i = 0; i < 12; ++i) others.push_back(enter("other" + std::to_string(i)));
  EXPECT_EQ(ended_.size(), 12U);
  for (const int one : ended_) EXPECT_GE(one, 8);
  EXPECT_EQ(counters_.ended_early, 12);
}

TEST_F(PlacesTest, AnAddressHasItsLimitWhoeverElseGoes) {
  std::vector<std::shared_ptr<ConnectionPlaces::Place>> all;
  for (int i = 0; i < 8; ++i) all.push_back(enter("one"));
  EXPECT_FALSE(enter("one"));
  EXPECT_TRUE(places_.enter("one", true));
  all.pop_back();
  EXPECT_TRUE(enter("one"));
}

}  // namespace places_test
}  // namespace tacet::local::internal
