#pragma once

#include "tacet/base/error.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/privacy/receipt.h"

namespace tacet::learn {

/// Releases that read all records once, with noise that follows no paper: a DataError where the
/// receipt says otherwise.
inline void expect_plain_release(const privacy::Receipt& receipt) {
  expect_sampling(receipt, "full_batch");
  if (receipt.calibration == "tight") return;
  throw base::DataError("calibration {} is of a method; a release has tight noise",
                        receipt.calibration);
}

}  // namespace tacet::learn
