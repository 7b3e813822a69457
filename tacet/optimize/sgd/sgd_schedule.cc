#include "tacet/optimize/sgd/sgd_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "tacet/base/error.h"
#include "tacet/random/choose/subset.h"

namespace tacet::optimize {
namespace {

using random::Purpose;

// Up to this many records every order is equally likely. Beyond, blocks of neighbouring records
// come in uniform order, each in uniform order within: rows are then read from memory in stretches,
// which takes a fraction of the time, and the order of a file is broken up as well.
constexpr std::int64_t max_shuffled = 65536;
constexpr std::int64_t block_records = 128;

std::vector<std::uint32_t> permutation(std::int64_t records, random::BlockClaim claim) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(records));
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (records <= max_shuffled) {
    random::shuffle(std::move(claim), std::span(order));
    return order;
  }
  random::Stream stream(std::move(claim));
  const auto shuffle = [&](std::span<std::uint32_t> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[random::uniform_below(stream, left)]);
    }
  };
  std::vector<std::uint32_t> blocks(
      static_cast<std::size_t>((records + block_records - 1) / block_records));
  std::iota(blocks.begin(), blocks.end(), std::uint32_t{0});
  shuffle(blocks);
  auto place = order.begin();
  for (const auto block : blocks) {
    const std::int64_t first = block * block_records;
    const std::int64_t count = std::min(block_records, records - first);
    const std::span own(&*place, static_cast<std::size_t>(count));
    std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(first));
    shuffle(own);
    place += count;
  }
  return order;
}

void append_passes(std::vector<std::uint32_t>& order, bool fresh, const StepCounts& counts,
                   random::Source& source, std::uint64_t address) {
  const auto [records, batch, steps] = counts;
  const std::int64_t steps_per_pass = records / batch;
  std::vector<std::uint32_t> pass;
  for (std::int64_t done = 0; done < steps; done += steps_per_pass) {
    if (fresh || done == 0) {
      const auto number = static_cast<std::uint64_t>(done / steps_per_pass);
      pass = permutation(records, source.claim(Purpose::sampling, address, number));
    }
    const std::int64_t here = std::min(steps_per_pass, steps - done);
    order.insert(order.end(), pass.begin(), pass.begin() + here * batch);
  }
}

}  // namespace

std::string to_string(RecordOrder sampling) { return record_order_names.of(sampling); }

std::string to_string(Averaging averaging) { return averaging_names.of(averaging); }

void SgdSchedule::validate() const {
  if (records < 1 || records > std::numeric_limits<std::uint32_t>::max()) {
    throw base::UsageError("a schedule needs 1 to 2^32 - 1 records, got {}", records);
  }
  if (batch < 1 || batch > records || order.empty() ||
      static_cast<std::int64_t>(order.size()) % batch != 0) {
    throw base::UsageError("{} places cannot be cut into steps of {} out of {} records",
                           order.size(), batch, records);
  }
  if (step_sizes.size() != 1 && static_cast<std::int64_t>(step_sizes.size()) != steps()) {
    throw base::UsageError("a schedule has one step size, or {}, got {}", steps(),
                           step_sizes.size());
  }
  for (const double step : step_sizes) {
    if (!(step > 0) || !std::isfinite(step)) {
      throw base::UsageError("a step size must be positive, got {}", step);
    }
  }
  if (!(mean_l2 >= 0) || !std::isfinite(mean_l2)) {
    throw base::UsageError("l2 must be at least 0, got {}", mean_l2);
  }
  for (const auto record : order) {
    if (record >= records) {
      throw base::UsageError("record {} does not exist among {}", record, records);
    }
  }
}

std::vector<std::uint32_t> draw_order(RecordOrder sampling, const StepCounts& counts,
                                      random::Source& source, std::uint64_t address) {
  const auto [records, batch, steps] = counts;
  if (records < 1 || records > std::numeric_limits<std::uint32_t>::max() || batch < 1 ||
      batch > records || steps < 1) {
    throw base::UsageError("no order of {} steps of {} out of {} records", steps, batch, records);
  }
  std::vector<std::uint32_t> order;
  order.reserve(static_cast<std::size_t>(steps * batch));
  if (sampling == RecordOrder::permutation || sampling == RecordOrder::fresh_permutation) {
    append_passes(order, sampling == RecordOrder::fresh_permutation, counts, source, address);
    return order;
  }
  if (sampling == RecordOrder::with_replacement) {
    if (batch != 1) {
      throw base::UsageError(
          "sampling with replacement reads one record a step, got batches of {}; use minibatch",
          batch);
    }
    random::Stream stream(source.claim(Purpose::sampling, address, 0));
    for (std::int64_t t = 0; t < steps; ++t) {
      order.push_back(static_cast<std::uint32_t>(
          random::uniform_below(stream, static_cast<std::uint64_t>(records))));
    }
    return order;
  }
  for (std::int64_t t = 0; t < steps; ++t) {
    const auto subset = random::uniform_subset(
        source.claim(Purpose::sampling, address, static_cast<std::uint64_t>(t)), batch, records);
    for (const auto record : subset) order.push_back(static_cast<std::uint32_t>(record));
  }
  return order;
}

std::vector<double> decaying_steps(double first, double decay, std::int64_t steps) {
  if (decay == 0) return {first};
  std::vector<double> sizes;
  sizes.reserve(static_cast<std::size_t>(steps));
  for (std::int64_t t = 1; t <= steps; ++t) {
    sizes.push_back(decay == 0.5 ? first / std::sqrt(static_cast<double>(t))
                                 : first / std::pow(static_cast<double>(t), decay));
  }
  return sizes;
}

double IterateWeights::at(std::int64_t t) const {
  const auto count = static_cast<double>(steps);
  switch (kind) {
    case Averaging::uniform:
      return t <= steps ? 1 / count : 0;
    case Averaging::suffix:
      return t <= steps && t > steps - suffix ? 1 / static_cast<double>(suffix) : 0;
    case Averaging::last:
      return t == steps + 1 ? 1 : 0;
    case Averaging::polynomial: {
      if (t > steps) return 0;
      // binom(t + p - 1, p) / binom(T + p, p + 1) (Shamir, Zhang 2013).
      const auto p = static_cast<double>(power);
      double weight = (p + 1) / (count + p);
      for (std::int64_t k = 0; k < power; ++k) {
        weight *= static_cast<double>(t + k) / static_cast<double>(steps + k);
      }
      return weight;
    }
  }
  throw base::InternalError("unknown mean of iterates");
}

}  // namespace tacet::optimize
