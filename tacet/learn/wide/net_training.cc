#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/wide/net_gradients.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/model/wide/wide_start.h"

namespace tacet::learn {
namespace {

std::size_t net_size(std::int64_t number) { return static_cast<std::size_t>(number); }

/// Rows as the optimizer has them.
class RowsNow : public model::WideRows {
 public:
  explicit RowsNow(const RowOptimizer& rows) : rows_(rows) {}
  [[nodiscard]] std::span<const float> row(std::int64_t row, std::span<float> room) const override {
    return rows_.read(row, room);
  }
  [[nodiscard]] std::size_t room_size(std::size_t /*widest*/) const override {
    return rows_.room_size();
  }

 private:
  const RowOptimizer& rows_;
};

/// The dense block, moved as rows of a table of its own.
class BlockOptimizer {
 public:
  BlockOptimizer(std::vector<float> start, const RowOptimizerSettings& settings)
      : values_(std::move(start)),
        layout_({{.rows = (std::ssize(values_) + width - 1) / width, .width = width}}),
        rows_(layout_, starts(), settings) {}

  [[nodiscard]] std::span<const float> values() const { return values_; }

  void step(std::span<const double> sum, double divisor) {
    std::vector<double> padded(net_size(layout_.cells()), 0.0);
    std::ranges::copy(sum, padded.begin());
    rows_.step({privacy::RowSelection::all(), layout_, std::move(padded)}, divisor);
    std::vector<float> room(rows_.room_size());
    for (std::int64_t row = 0; row < layout_.rows(); ++row) {
      const auto first = net_size(row * width);
      const auto count = std::min(net_size(width), values_.size() - first);
      std::ranges::copy(rows_.read(row, room).first(count),
                        values_.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

 private:
  static constexpr std::int64_t width = 256;

  [[nodiscard]] RowStart starts() const {
    return [start = values_](std::int64_t row, std::span<float> out) {
      for (std::size_t j = 0; j < out.size(); ++j) {
        const auto place = net_size(row * width) + j;
        out[j] = place < start.size() ? start[place] : 0;
      }
    };
  }

  std::vector<float> values_;
  privacy::RowLayout layout_;
  RowOptimizer rows_;
};

/// All steps of a run.
class NetSteps {
 public:
  NetSteps(const data::Dataset& dataset, const NetPlan& plan, const TrainingContext& context)
      : plan_(plan),
        context_(context),
        population_(dataset.rows()),
        net_(plan.shape),
        gradients_(net_, dataset, plan.max_records_per_unit, context.threads),
        rows_(
            net_.layout(),
            [start = model::WideStart(plan.shape, plan.start_seed)](
                std::int64_t row, std::span<float> out) { start.write_row(row, out); },
            plan.choice.kind == WordSelection::all && !plan.unprotected()
                ? in_every_step(plan.optimizer)
                : plan.optimizer),
        now_(rows_),
        block_(model::WideStart(plan.shape, plan.start_seed).block(),
               in_every_step(plan.optimizer)) {
    if (plan.unprotected()) {
      arena_.emplace(net_.layout(), plan.gradient_limit(), optimize::RecordLife::borrowed);
      open_.emplace(net_.layout());
      return;
    }
    if (plan.max_records_per_unit > 1) {
      batch_.emplace(net_.layout(), plan.gradient_limit(), context.threads);
    } else {
      running_.emplace(net_.layout(), plan.gradient_limit(), context.threads);
    }
    if (!plan.choice.counts_words()) return;
    touched_.emplace(privacy::RowLayout({{.rows = id_count(plan.shape), .width = 1}}),
                     plan.id_limit(), context.threads);
  }

  /// The numbers after the last step: tables row by row, then the dense block.
  [[nodiscard]] std::vector<float> run() {
    for (std::int64_t t = 0; t < plan_.steps; ++t) {
      context_.supervision.step("training", t, plan_.steps);
      step(static_cast<std::uint64_t>(t));
    }
    context_.supervision.step("training", plan_.steps, plan_.steps);
    return numbers();
  }

 private:
  [[nodiscard]] NetState state() const { return {now_, block_.values()}; }

  void step(std::uint64_t t) {
    std::optional<privacy::DrawnSample> some;
    if (plan_.rate < 1) {
      some = privacy::DrawnSample::poisson(context_.source.claim(random::Purpose::sampling, t, 0),
                                           random::PoissonRate::at_least(plan_.rate), population_,
                                           plan_.max_records_per_unit);
    } else if (everyone_.empty()) {
      everyone_.resize(net_size(population_));
      std::iota(everyone_.begin(), everyone_.end(), 0);
    }
    const auto drawn = some ? some->rows() : std::span<const std::int64_t>(everyone_);
    if (plan_.unprotected()) {
      open_->start();
      gradients_.add(drawn, state(), *arena_, *open_);
      return move(open_->take());
    }
    const auto sample = some ? some->sample() : privacy::Sample::all();
    mechanism::SamplePermit permit(sample, step_parts(plan_), context_.reservation);
    const mechanism::PermitContext release{{t, 0}, context_.source, permit};
    auto chosen = choose(sample, drawn, release);
    const auto noisy = mechanism::release_rows(sum(sample, std::move(chosen), drawn),
                                               privacy::NoiseMultiplier(plan_.noise), release);
    move(noisy.value());
  }

  [[nodiscard]] privacy::RowSelection choose(const privacy::Sample& sample,
                                             std::span<const std::int64_t> drawn,
                                             const mechanism::PermitContext& release) {
    if (!touched_) return privacy::RowSelection::all();
    touched_->start(sample);
    gradients_.touch(drawn, *touched_);
    return rows_of_ids(net_, choose_words(plan_.choice, *touched_, {}, release));
  }

  [[nodiscard]] privacy::RowSum sum(const privacy::Sample& sample, privacy::RowSelection chosen,
                                    std::span<const std::int64_t> drawn) {
    if (running_) {
      running_->start(sample, std::move(chosen), plan_.clipping_norm);
      gradients_.add(drawn, state(), *running_);
      return running_->take();
    }
    batch_->start(sample);
    gradients_.add(drawn, state(), *batch_);
    return batch_->sum(chosen, {.clipping_norm = plan_.clipping_norm});
  }

  // By the mean over the expected number of records: public, unlike their true number.
  void move(const mechanism::NoisyRows& noisy) {
    const auto divisor = static_cast<double>(plan_.batch);
    rows_.step(noisy, divisor);
    if (!noisy.dense().empty()) block_.step(noisy.dense(), divisor);
  }

  [[nodiscard]] std::vector<float> numbers() const {
    // Numbers stay finite whatever step size a user picks; no sensible model comes near.
    static constexpr float largest = 1e12F;
    const auto bounded = [](float number) {
      return std::isfinite(number) ? std::clamp(number, -largest, largest) : 0.0F;
    };
    std::vector<float> out;
    const auto& layout = net_.layout();
    out.reserve(net_size(layout.cells() + layout.dense()));
    std::vector<float> room(rows_.room_size());
    for (std::int64_t row = 0; row < layout.rows(); ++row) {
      std::ranges::transform(rows_.read(row, room), std::back_inserter(out), bounded);
    }
    std::ranges::transform(block_.values(), std::back_inserter(out), bounded);
    return out;
  }

  const NetPlan& plan_;
  const TrainingContext& context_;
  std::int64_t population_;
  model::WideNet net_;
  NetGradients gradients_;
  RowOptimizer rows_;
  RowsNow now_;
  BlockOptimizer block_;
  std::optional<optimize::RunningRowSum> running_;  // of single records
  std::optional<optimize::RowBatch> batch_;         // of units of several
  std::optional<optimize::RowBatch> touched_;       // by which ids are chosen
  std::optional<optimize::RowArena> arena_;         // where nobody is protected
  std::optional<OpenRowSum> open_;
  std::vector<std::int64_t> everyone_;
};

}  // namespace

TrainedModel train_net(const data::Dataset& dataset, const data::Schema& schema,
                       const NetPlan& plan, const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  // How many records all units have together is private.
  if (!schema.unit) check_public_count(dataset, plan, context);
  auto numbers = NetSteps(dataset, plan, context).run();
  auto model = model::described_model(schema, plan.loss);
  model.wide.emplace(plan.architecture, schema, plan.loss, std::move(numbers));
  if (!plan.unprotected()) {
    return {std::move(model), finished_receipt(plan, context), schema};
  }
  context.reservation.commit();
  TrainedModel trained{std::move(model), receipt_of(plan), schema};
  trained.receipt.unprotected_reason = "trained with epsilon inf: no noise was added";
  return trained;
}

}  // namespace tacet::learn
