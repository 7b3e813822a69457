#include "tacet/optimize/sums/running_row_sum.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/row_clip.h"
#include "tacet/optimize/sums/row_places.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// What one worker has summed: the chosen cells and the dense block, or, where all rows are chosen,
/// the dense block and the rows that were touched, in the order in which they came.
struct WorkerSum {
  ExactAccumulator sum;
  internal::RecordPlaces places = {};
  SlotMap slots = {};
  std::vector<std::int64_t> rows = {};
  std::vector<std::size_t> firsts = {};  // of each row's cells

  /// Nothing summed, in `size` cells.
  void restart(std::size_t size) {
    sum.restart(size);
    slots.clear();
    rows.clear();
    firsts.clear();
  }

  /// Pieces of a record all of whose rows are chosen; new ones get a place.
  void place_all(const RowRecord& record, const privacy::RowLayout& layout) {
    places.pieces.clear();
    std::size_t value = 0;
    for (std::size_t i = 0; i < record.rows.size(); ++i) {
      const auto width = static_cast<std::size_t>(layout.width(record.rows[i]));
      const auto fresh = static_cast<std::int32_t>(rows.size());
      const auto slot = static_cast<std::size_t>(slots.insert(record.rows[i], fresh));
      if (slot == rows.size()) {
        rows.push_back(record.rows[i]);
        firsts.push_back(sum.size());
        sum.grow(sum.size() + width);
      }
      places.pieces.push_back({value, firsts[slot], width, record.squares[i]});
      value += width;
    }
    internal::place_dense(record, 0, places);
  }
};

/// What a worker has summed of a row.
struct RowPart {
  std::int64_t row;
  const ExactAccumulator* sum;
  std::size_t first;
};

}  // namespace

struct RunningRowSum::Step {
  privacy::Sample sample;
  privacy::RowSelection selection;
  double norm;
  internal::RowScale scale;
  std::optional<internal::CellPlaces> cells = std::nullopt;
};

/// Memory that steps take over from one another.
struct RunningRowSum::Room {
  internal::RowPlaces rows;  // chosen ones
  std::vector<WorkerSum> workers;
  std::vector<RowPart> parts = {};
};

RunningRowSum::RunningRowSum(privacy::RowLayout layout, const RowLimit& limit,
                             base::ThreadPool& threads)
    : layout_(std::move(layout)), limit_(limit), threads_(threads) {
  if (limit.max_records_per_unit != 1) {
    throw base::UsageError(
        "records of units that bring several are summed from a batch, not as they come");
  }
  for (int worker = 0; worker < threads.size(); ++worker) {
    arenas_.emplace_back(layout_, limit_, RecordLife::borrowed);
  }
  // How many records a sample has is a secret: any number of them is summed.
  const ExactAccumulator sum(0, std::int64_t{1} << (52 - limit_.norm_bits));
  room_ = std::make_unique<Room>(
      Room{internal::RowPlaces(layout_), std::vector<WorkerSum>(arenas_.size(), WorkerSum{sum})});
}

RunningRowSum::~RunningRowSum() = default;

void RunningRowSum::start(const privacy::Sample& sample, privacy::RowSelection selection,
                          double clipping_norm) {
  if (sample.max_records_per_unit() != 1) {
    throw base::InternalError(
        "a sum of single records from a sample that is accounted for several");
  }
  const auto cells = static_cast<std::size_t>(selection.cell_count(layout_));
  const auto dense = static_cast<std::size_t>(layout_.dense());
  const bool all = selection.is_all();
  step_ = std::make_unique<Step>(Step{sample, std::move(selection),
                                      internal::checked_row_norm(clipping_norm),
                                      internal::RowScale::of(clipping_norm, limit_)});
  if (const auto* chosen = step_->selection.rows()) room_->rows.assign(*chosen);
  if (const auto* chosen = step_->selection.cells()) step_->cells.emplace(layout_, *chosen);
  for (auto& worker : room_->workers) worker.restart(all ? dense : cells + dense);
  for (auto& arena : arenas_) arena.clear();
}

bool RunningRowSum::chosen(std::int64_t row) const {
  if (!step_) throw base::InternalError("no sum over rows was started");
  if (step_->selection.is_all()) return true;
  return step_->cells ? step_->cells->contains(row) : room_->rows.contains(row);
}

void RunningRowSum::finish(int worker) {
  auto& arena = this->arena(worker);
  arena.finish();
  if (!step_) throw base::InternalError("no sum over rows was started");
  auto& own = room_->workers[static_cast<std::size_t>(worker)];
  const auto record = arena.record(arena.size() - 1);
  if (!record.squares.empty()) {
    if (step_->selection.is_all()) {
      own.place_all(record, layout_);
    } else if (step_->cells) {
      internal::place_record(record, *step_->cells, own.places);
    } else {
      internal::place_record(record, room_->rows, own.places);
    }
    internal::add_clipped(record, own.places, own.places.square, step_->scale, own.sum.reserve(1));
  }
  arena.clear();
}

std::vector<std::int64_t> RunningRowSum::add_touched(std::vector<std::int64_t>& total) {
  auto& parts = room_->parts;
  parts.clear();
  for (const auto& worker : room_->workers) {
    for (std::size_t i = 0; i < worker.rows.size(); ++i) {
      parts.push_back({worker.rows[i], &worker.sum, worker.firsts[i]});
    }
  }
  std::ranges::sort(parts, {}, &RowPart::row);
  std::vector<std::int64_t> touched(parts.size());
  std::ranges::transform(parts, touched.begin(), &RowPart::row);
  touched = internal::each_row_once(std::move(touched));
  auto size = static_cast<std::size_t>(layout_.dense());
  for (const auto row : touched) size += static_cast<std::size_t>(layout_.width(row));
  total.resize(size, 0);
  std::size_t place = 0;
  auto part = parts.begin();
  for (const auto row : touched) {
    const auto width = static_cast<std::size_t>(layout_.width(row));
    for (; part != parts.end() && part->row == row; ++part) {
      part->sum->add_to(std::span(total).subspan(place, width), part->first);
    }
    place += width;
  }
  return touched;
}

privacy::RowSum RunningRowSum::take() {
  if (!step_) throw base::InternalError("no sum over rows was started");
  const auto step = std::move(step_);
  const auto dense = static_cast<std::size_t>(layout_.dense());
  std::vector<std::int64_t> touched;
  std::vector<std::int64_t> total;
  if (step->selection.is_all()) {
    touched = add_touched(total);
    for (const auto& worker : room_->workers) worker.sum.add_to(std::span(total).last(dense));
  } else {
    total.resize(room_->workers.front().sum.size(), 0);
    for (const auto& worker : room_->workers) worker.sum.add_to(total);
  }
  return privacy::RowSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(total),
                                          std::ldexp(step->norm, -limit_.norm_bits),
                                          std::int64_t{1} << limit_.norm_bits, step->sample),
      step->selection, layout_, std::move(touched));
}

}  // namespace tacet::optimize
