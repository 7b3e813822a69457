#pragma once

#include "tacet/privacy/receipt.h"

namespace tacet::test {

/// A receipt of gradient descent with every part that all receipts have.
inline privacy::Receipt example_receipt() {
  privacy::Receipt receipt;
  receipt.algorithm = "gradient";
  receipt.calibration = "tight";
  receipt.parameters = R"({"steps":100,"rate":0.5})";
  receipt.events = privacy::Repeated{100, privacy::Gaussian{20}};
  receipt.guarantee = {1, 1e-6, privacy::Adjacency::add_remove};
  receipt.public_row_count = 4526;
  receipt.prg_slack = 1e-20;
  receipt.software_version = "0.1.0";
  return receipt;
}

}  // namespace tacet::test
