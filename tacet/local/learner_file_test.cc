#include "tacet/local/learner_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::local {
namespace learner_file_test {

Learner some_learner(bool sgd) {
  const std::vector<double> report{0.3, -2, 1e-7};
  if (sgd) {
    LocalSgd learner({.dimension = 3, .step_size = 0.1, .falling_steps = true});
    for (int t = 0; t < 5; ++t) static_cast<void>(learner.observe({report}));
    return learner;
  }
  Banco learner({.dimension = 3,
                 .certificate = bounded_certificate(4),
                 .initial_wealth = 0.7,
                 .weight_power = 1,
                 .rounds = 40});
  for (int t = 0; t < 5; ++t) static_cast<void>(learner.observe({report}));
  return learner;
}

std::string refusal(const std::string& bytes) {
  try {
    (void)learner_from_bytes(bytes, "state.bin");
  } catch (const base::DataError& error) {
    return error.what();
  }
  return {};
}

TEST(LearnerFile, GoesOnBitForBit) {
  for (const bool sgd : {false, true}) {
    auto whole = some_learner(sgd);
    auto resumed = learner_from_bytes(to_bytes(whole), "state.bin");
    EXPECT_EQ(to_bytes(resumed), to_bytes(whole));
    const std::vector<double> report{1, 0.5, -3};
    for (int t = 0; t < 20; ++t) {
      for (auto* learner : {&whole, &resumed}) {
        std::visit([&](auto& kept) { EXPECT_EQ(kept.observe({report}), Observed::taken); },
                   *learner);
      }
    }
    EXPECT_EQ(to_bytes(resumed), to_bytes(whole));
  }
}

TEST(LearnerFile, RefusesEveryCutAndEveryEdit) {
  for (const bool sgd : {false, true}) {
    const auto bytes = to_bytes(some_learner(sgd));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
    }
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      auto edited = bytes;
      edited[place] = static_cast<char>(edited[place] ^ 1);
      EXPECT_NE(refusal(edited), "") << place;
    }
    EXPECT_NE(refusal(bytes + "x"), "");
  }
}

TEST(LearnerFile, SaysWhatIsWrong) {
  auto bytes = to_bytes(some_learner(false));
  EXPECT_NE(refusal("").find("state.bin: no state"), std::string::npos);
  EXPECT_NE(refusal(bytes.substr(0, 20)).find("cut off"), std::string::npos);
  auto edited = bytes;
  edited[60] = static_cast<char>(edited[60] ^ 4);
  EXPECT_NE(refusal(edited).find("checksum"), std::string::npos);
  bytes[14] = 2;
  EXPECT_NE(refusal(bytes).find("version 2; this program reads version 1"), std::string::npos);
}

}  // namespace learner_file_test
}  // namespace tacet::local
