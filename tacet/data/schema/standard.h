#pragma once

namespace tacet::data {

/// Mean and standard deviation of 2 v - 1, v in [0, 1] the share of the way from the lower bound to
/// the upper one, as training released them.
struct Standard {
  double mean = 0;
  double stddev = 1;
};

}  // namespace tacet::data
