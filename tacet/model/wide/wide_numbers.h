#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/model/wide/wide_architecture.h"
#include "tacet/model/wide/wide_net.h"

namespace tacet::model {

/// A wide model's architecture and numbers: its tables row by row, then the dense block. Public:
/// they reach it through a mechanism, or carry the mark of an unprotected run in the receipt beside
/// them.
class WideNumbers : public WideRows {
 public:
  /// DataError unless there are as many numbers as the architecture has for the schema, all finite.
  WideNumbers(WideArchitecture architecture, const data::Schema& schema, const Loss& loss,
              std::vector<float> numbers);

  [[nodiscard]] const WideArchitecture& architecture() const { return architecture_; }
  [[nodiscard]] const WideNet& net() const { return net_; }
  [[nodiscard]] std::span<const float> numbers() const { return numbers_; }
  [[nodiscard]] std::span<const float> block() const;
  [[nodiscard]] std::span<const float> row(std::int64_t row, std::span<float> room) const override;

  /// Outputs of one record, `trace` being room that is used again.
  void margins(const data::Dataset& data, std::int64_t row, WideTrace& trace,
               std::span<double> out) const;

 private:
  WideArchitecture architecture_;
  WideNet net_;
  std::vector<float> numbers_;
};

/// How many numbers that is: cells and dense block.
[[nodiscard]] std::int64_t wide_number_count(const WideShape& shape);

/// A record's encoded row as the net reads it.
void read_wide_record(const WideNet& net, const data::Dataset& data, std::int64_t row,
                      WideTrace& trace);

}  // namespace tacet::model
