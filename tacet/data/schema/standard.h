#pragma once

namespace tacet::data {

/// Released mean and standard deviation of 2 v - 1, where v in [0, 1] is the share of the way from
/// the lower bound to the upper one.
struct Standard {
  double mean = 0;
  double stddev = 1;
};

}  // namespace tacet::data
