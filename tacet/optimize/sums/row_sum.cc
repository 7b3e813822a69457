#include "tacet/optimize/sums/row_sum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/optimize/sums/row_clip.h"
#include "tacet/optimize/sums/row_places.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {

using privacy::RowSelection;
using random::ScoredCandidate;

RowBatch::RowBatch(privacy::RowLayout layout, const RowLimit& limit, base::ThreadPool& threads)
    : layout_(std::move(layout)), limit_(limit), threads_(threads) {
  for (int worker = 0; worker < threads.size(); ++worker) arenas_.emplace_back(layout_, limit_);
}

void RowBatch::start(const privacy::Sample& sample) {
  // No fewer records than take part, and none that adds more than its share.
  if (!sample.is_all() && sample.max_records_per_unit() != limit_.max_records_per_unit) {
    throw base::InternalError(
        "{} records of a unit share its bound in a sample that is accounted for {}",
        limit_.max_records_per_unit, sample.max_records_per_unit());
  }
  sample_ = sample;
  for (auto& arena : arenas_) arena.clear();
}

std::vector<std::int64_t> RowBatch::surplus_units() const {
  std::vector<std::int64_t> surplus;
  if (limit_.max_records_per_unit == 1) return surplus;
  std::map<std::int64_t, std::int64_t> counts;
  for (const auto& arena : arenas_) {
    for (std::int64_t i = 0; i < arena.size(); ++i) ++counts[arena.record(i).unit];
  }
  for (const auto& [unit, count] : counts) {
    if (unit >= 0 && count > limit_.max_records_per_unit) surplus.push_back(unit);
  }
  return surplus;
}

template <typename Use>
void RowBatch::for_records(const Use& use) const {
  const auto surplus = surplus_units();
  threads_.for_blocks(std::ssize(arenas_), 1,
                      [&](int worker, std::int64_t begin, std::int64_t end) {
                        for (std::int64_t a = begin; a < end; ++a) {
                          const auto& arena = arenas_[static_cast<std::size_t>(a)];
                          for (std::int64_t i = 0; i < arena.size(); ++i) {
                            const auto record = arena.record(i);
                            if (std::ranges::binary_search(surplus, record.unit)) continue;
                            use(static_cast<std::size_t>(worker), record);
                          }
                        }
                      });
}

std::vector<std::int64_t> RowBatch::touched_rows() const {
  std::vector<std::vector<std::int64_t>> found(arenas_.size());
  for_records([&](std::size_t worker, const RowRecord& record) {
    found[worker].insert(found[worker].end(), record.rows.begin(), record.rows.end());
  });
  for (std::size_t worker = 1; worker < found.size(); ++worker) {
    found[0].insert(found[0].end(), found[worker].begin(), found[worker].end());
  }
  return internal::each_row_once(std::move(found[0]));
}

template <typename RowsOrCells>
std::vector<std::int64_t> RowBatch::total(const RowsOrCells& places, const RowClip& clip) const {
  const std::size_t size = places.cells() + static_cast<std::size_t>(layout_.dense());
  const auto scale = internal::RowScale::of(clip.clipping_norm, limit_);
  std::vector<std::optional<ExactAccumulator>> sums(arenas_.size());
  std::vector<internal::RecordPlaces> placed(arenas_.size());
  for_records([&](std::size_t worker, const RowRecord& record) {
    if (record.squares.empty()) return;
    auto& own = placed[worker];
    internal::place_record(record, places, own);
    auto& sum = sums[worker];
    if (!sum) sum.emplace(size, std::int64_t{1} << (52 - limit_.norm_bits));
    const double all = std::accumulate(record.squares.begin(), record.squares.end(), 0.0);
    const double square = clip.second == SecondClip::masked ? own.square : all;
    internal::add_clipped(record, own, square, scale, sum->reserve(1));
  });
  std::vector<std::int64_t> total(size, 0);
  for (const auto& sum : sums) {
    if (sum) sum->add_to(total);
  }
  return total;
}

privacy::RowSum RowBatch::sum(const RowSelection& selection, const RowClip& clip) const {
  const std::int64_t cells = selection.cell_count(layout_);
  std::vector<std::int64_t> touched;
  std::vector<std::int64_t> values;
  if (const auto* chosen = selection.cells()) {
    values = total(internal::CellPlaces(layout_, *chosen), clip);
  } else {
    if (selection.is_all()) touched = touched_rows();
    values =
        total(internal::RowPlaces(layout_, selection.is_all() ? touched : *selection.rows()), clip);
  }
  const std::int64_t whole = std::int64_t{1} << limit_.norm_bits;
  const double grid = std::ldexp(internal::checked_row_norm(clip.clipping_norm), -limit_.norm_bits);
  const std::int64_t bound = clip.second == SecondClip::aggregate
                                 ? internal::clip_aggregate(values, {clip.aggregate / grid, whole,
                                                                     cells + layout_.dense()})
                                 : whole;
  return privacy::RowSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), grid,
                                          bound, sample_),
      selection, layout_, std::move(touched));
}

std::vector<ScoredCandidate> RowBatch::counted(std::span<const std::int64_t> among, bool listed,
                                               std::int64_t norm) const {
  SlotMap places;
  for (std::size_t i = 0; i < among.size(); ++i) {
    places.insert(among[i], static_cast<std::int32_t>(i));
  }
  const std::int64_t share = norm / limit_.max_records_per_unit;
  std::vector<std::vector<std::int64_t>> sums(arenas_.size());
  for_records([&](std::size_t worker, const RowRecord& record) {
    auto& sum = sums[worker];
    sum.resize(among.size(), 0);
    std::int64_t count = 0;
    for (const auto row : record.rows) count += places.find(row) >= 0 ? 1 : 0;
    // Exactly in integers: count shares have a norm of at most `share`. A norm of 0: a count.
    const std::int64_t each = norm == 0 ? 1 : scalar_bound(share, count);
    for (const auto row : record.rows) {
      const auto place = places.find(row);
      if (place >= 0) sum[static_cast<std::size_t>(place)] += each;
    }
  });
  std::vector<std::int64_t> total(among.size(), 0);
  for (const auto& sum : sums) {
    for (std::size_t j = 0; j < sum.size(); ++j) total[j] += sum[j];
  }
  std::vector<ScoredCandidate> result;
  result.reserve(total.size());
  for (std::size_t j = 0; j < total.size(); ++j) {
    if (total[j] == 0) continue;
    result.push_back({listed ? static_cast<std::int64_t>(j) : among[j], total[j]});
  }
  return result;
}

privacy::SparseBoundedSum RowBatch::presence() const {
  return privacy::SparseBoundedSum::from_certified(privacy::Certifier::clipped(), layout_.rows(),
                                                   counted(touched_rows(), false, presence_norm),
                                                   presence_norm, sample_);
}

privacy::SparseBoundedSum RowBatch::presence(const RowSelection& among) const {
  if (among.rows() == nullptr) {
    throw base::UsageError("presence among chosen rows needs a choice of rows");
  }
  static_cast<void>(among.cell_count(layout_));
  return privacy::SparseBoundedSum::from_certified(
      privacy::Certifier::clipped(), std::ssize(*among.rows()),
      counted(*among.rows(), true, presence_norm), presence_norm, sample_);
}

mechanism::SparseScores RowBatch::row_counts(privacy::Adjacency adjacency) const {
  const auto movement = adjacency == privacy::Adjacency::add_remove ? mechanism::Movement::one_way
                                                                    : mechanism::Movement::any;
  return mechanism::SparseScores::integers(layout_.rows(), counted(touched_rows(), false, 0),
                                           {limit_.max_records_per_unit, movement, adjacency},
                                           sample_);
}

mechanism::SparseScores RowBatch::scores(const RowScoreRule& rule,
                                         privacy::Adjacency adjacency) const {
  const auto bounds = row_score_bounds(layout_, limit_, rule, adjacency);
  const auto rows = touched_rows();
  const auto sums =
      total(internal::RowPlaces(layout_, rows), {rule.clipping_norm, SecondClip::none, 0});
  std::vector<ScoredCandidate> listed;
  listed.reserve(rule.granularity == Granularity::row ? rows.size() : sums.size());
  std::size_t first = 0;
  for (const auto row : rows) {
    const auto width = static_cast<std::size_t>(layout_.width(row));
    const auto own = std::span(sums).subspan(first, width);
    first += width;
    if (rule.granularity == Granularity::row) {
      listed.push_back({row, internal::floor_norm(own)});
      continue;
    }
    const std::int64_t cell = layout_.first_cell(row);
    for (std::size_t j = 0; j < width; ++j) {
      listed.push_back({cell + static_cast<std::int64_t>(j), std::abs(own[j])});
    }
  }
  return mechanism::SparseScores::from_certified(privacy::Certifier::clipped(), bounds,
                                                 std::move(listed), sample_);
}

}  // namespace tacet::optimize
