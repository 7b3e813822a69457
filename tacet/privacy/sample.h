#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace tacet::privacy {

/// A secret uniform subset of `sample` out of `population` records, drawn afresh.
struct FixedSizeSelection {
  std::int64_t sample;
  std::int64_t population;
};

/// Which records a value was computed from: all of them, or one particular secret sample. Copies
/// name the same sample.
///
/// One sample, one debit. What is read from a sample is amplified together: releases a and b from
/// one Poisson sample are PoissonSampled{q, Composed{a, b}}, which can cost far more than
/// PoissonSampled{q, a} and PoissonSampled{q, b} (q 0.02, two Gaussians of multiplier 1 a step,
/// 1,000 steps, delta 1e-5: 8.84, not 5.62), since the second release tells how to read the first.
/// So a sample can be claimed once; mechanism::SamplePermit claims it for several releases.
class Sample {
 public:
  /// Every record: no sample, and nothing to claim.
  [[nodiscard]] static Sample all() { return {}; }
  /// A new sample in which each record is independently with the probability `rate`; 1: all(). Of
  /// each privacy unit at most `max_records_per_unit` records count, 1 to records_per_unit_limit
  /// (UsageError).
  [[nodiscard]] static Sample poisson(SamplingRate rate, std::int64_t max_records_per_unit = 1);
  /// A new sample of fixed size. UsageError unless 0 <= sample <= population.
  [[nodiscard]] static Sample fixed_size(FixedSizeSelection selection);

  [[nodiscard]] bool is_all() const { return serial_ == 0; }
  /// The probability of each record, for Poisson samples and for all records; else absent.
  [[nodiscard]] const SamplingRate* rate() const { return std::get_if<SamplingRate>(&kind_); }
  [[nodiscard]] const FixedSizeSelection* fixed() const {
    return std::get_if<FixedSizeSelection>(&kind_);
  }

  /// For Poisson samples: the largest number of records of a unit that count.
  [[nodiscard]] std::int64_t max_records_per_unit() const { return max_records_per_unit_; }

  /// The event of a release that reads the sample, if it would be `noise` on the sample's records
  /// alone.
  [[nodiscard]] Event event(Event noise) const;

  /// For mechanisms, after the debit and before the noise. InternalError if the sample was claimed
  /// before: a second debit on its own would not cover both releases.
  void claim() const;

  /// Whether both are the same sample, and not only drawn in the same way.
  friend bool operator==(const Sample& a, const Sample& b) { return a.serial_ == b.serial_; }

 private:
  using Kind = std::variant<SamplingRate, FixedSizeSelection>;

  Sample() : kind_(SamplingRate(1)) {}
  Sample(Kind kind, std::uint64_t serial, std::int64_t max_records_per_unit = 1)
      : kind_(kind), max_records_per_unit_(max_records_per_unit), serial_(serial) {}

  Kind kind_;
  std::int64_t max_records_per_unit_ = 1;
  std::uint64_t serial_ = 0;  // unique in this process; 0: all records
};

/// A secret sample with the records in it, drawn as its event says. The rows are as secret as the
/// noise: amplification by sampling fails against somebody who knows them.
class DrawnSample {
 public:
  /// A Poisson sample of the records 0, ..., population - 1. At most `max_records_per_unit` of each
  /// unit count. Errors as random::poisson_sample and Sample::poisson.
  [[nodiscard]] static DrawnSample poisson(random::BlockClaim claim, random::PoissonRate rate,
                                           std::int64_t population,
                                           std::int64_t max_records_per_unit = 1);
  /// Errors as random::uniform_subset.
  [[nodiscard]] static DrawnSample fixed_size(random::BlockClaim claim,
                                              FixedSizeSelection selection);

  [[nodiscard]] const Sample& sample() const { return sample_; }
  [[nodiscard]] std::int64_t population() const { return population_; }
  /// Ascending.
  [[nodiscard]] std::span<const std::int64_t> rows() const { return rows_; }

 private:
  DrawnSample(Sample sample, std::int64_t population, std::vector<std::int64_t> rows)
      : sample_(sample), population_(population), rows_(std::move(rows)) {}

  Sample sample_;
  std::int64_t population_;
  std::vector<std::int64_t> rows_;
};

}  // namespace tacet::privacy
