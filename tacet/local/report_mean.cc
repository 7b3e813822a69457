#include "tacet/local/report_mean.h"

#include <algorithm>

namespace tacet::local {
namespace {

// Fewer devices a round are asked faster by one thread.
constexpr std::int64_t devices_per_block = 8;

}  // namespace

ReportMean::ReportMean(const data::Dataset& dataset, const LocalPlan& plan,
                       const learn::TrainingContext& context)
    : context_(context),
      reports_(*plan.randomizer, dataset.rows(), plan.passes, context.reservation),
      gradients_(dataset, plan.loss,
                 {.clipping_norm = plan.randomizer->spec().clipping_norm,
                  .norm_bits = plan.randomizer->norm_bits(),
                  .class_weights = plan.class_weights}),
      columns_(plan.columns),
      mean_(static_cast<std::size_t>(plan.columns)) {}

std::span<const double> ReportMean::of(std::span<const double> point,
                                       std::span<const std::int64_t> devices, std::int64_t first) {
  const auto grid_point = gradients_.point(point);
  const auto size = static_cast<std::size_t>(columns_);
  const auto count = static_cast<std::int64_t>(devices.size());
  std::ranges::fill(mean_, 0.0);
  const double share = -1 / static_cast<double>(count);  // reports estimate g, learners want -g
  // Blocks of devices at a time, so that memory does not grow with the round.
  const std::int64_t slice = devices_per_block * context_.threads.size();
  estimates_.resize(static_cast<std::size_t>(std::min(slice, count)) * size);
  for (std::int64_t done = 0; done < count; done += slice) {
    const std::int64_t here = std::min(slice, count - done);
    context_.threads.for_blocks(
        here, devices_per_block, [&](int, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const auto report = reports_.release(
                gradients_.at(grid_point, devices[static_cast<std::size_t>(done + i)]),
                {.step = static_cast<std::uint64_t>(first + done + i)}, context_.source);
            mechanism::decode(
                report.value(), reports_.randomizer(),
                std::span(estimates_).subspan(static_cast<std::size_t>(i) * size, size));
          }
        });
    for (std::int64_t i = 0; i < here; ++i) {
      const double* estimate = estimates_.data() + static_cast<std::size_t>(i) * size;
      for (std::size_t j = 0; j < size; ++j) mean_[j] += estimate[j];
    }
  }
  for (double& value : mean_) value *= share;
  return mean_;
}

}  // namespace tacet::local
