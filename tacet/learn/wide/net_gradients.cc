#include "tacet/learn/wide/net_gradients.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/model/wide/wide_numbers.h"
#include "tacet/optimize/sums/vector_sum.h"

namespace tacet::learn {
namespace {

data::LabelDomain labels_of(const model::WideShape& shape, const data::LabelDomain& own) {
  switch (shape.loss) {
    case model::WideLoss::logistic:
      return data::LabelDomain::signs();
    case model::WideLoss::softmax:
      return data::LabelDomain::classes(shape.outputs);
    case model::WideLoss::squared:
      break;
  }
  return own;  // a number, of whatever bounds
}

void check_fit(const model::WideShape& shape, const data::Dataset& records) {
  const auto& own = records.shape();
  std::int64_t end = shape.dense.empty() ? 0 : shape.dense.back() + 1;
  for (const auto& field : shape.fields) end = std::max(end, field.first + field.rows);
  if (end > own.columns || !(labels_of(shape, own.labels) == own.labels)) {
    throw base::InternalError("the records are not of the wide model's columns and labels");
  }
}

std::vector<bool> first_of_units(const data::Dataset& records, std::int64_t max_records_per_unit) {
  std::vector<bool> first;
  if (!records.has_units()) return first;
  optimize::UnitLimit limit(max_records_per_unit);
  first.reserve(static_cast<std::size_t>(records.rows()));
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    const auto unit = records.unit_of(row);
    first.push_back(unit != data::Dataset::no_unit && limit.admits(unit));
  }
  return first;
}

// Always inline: GCC takes a call that only prefetches for one without an effect, and drops it.
template <typename T>
[[gnu::always_inline]] inline void prefetch(std::span<const T> values) {
  constexpr std::size_t line = 64 / sizeof(T);
  constexpr std::size_t max = 16 * line;
  for (std::size_t j = 0; j < std::min(values.size(), max); j += line) {
    __builtin_prefetch(values.data() + j);
  }
  // rows are not aligned to lines of memory
  if (!values.empty()) __builtin_prefetch(&values.back());
}

/// The records of a sample are far apart. Prefetches the row of a record that comes soon; its place
/// was prefetched before.
[[gnu::always_inline]] inline void prefetch_row(const data::Dataset& records, std::int64_t record) {
  if (!records.sparse()) return prefetch(records.dense_row(record));
  const auto row = records.sparse_row(record);
  prefetch(row.columns);
  prefetch(row.values);
}

/// Rows that were not chosen go nowhere.
struct ChosenRows {
  const optimize::RunningRowSum& sum;
  optimize::RowArena& arena;

  [[nodiscard]] std::span<double> row(std::int64_t row) const {
    return sum.chosen(row) ? arena.row(row) : std::span<double>();
  }
  [[nodiscard]] std::span<double> dense(std::size_t first, std::size_t count) const {
    return arena.dense(first, count);
  }
  void dense_products(std::size_t first, const numeric::PickedRows& picked,
                      std::span<const double> vector) const {
    arena.dense_products(first, picked, vector);
  }
};

}  // namespace

NetGradients::NetGradients(const model::WideNet& net, const data::Dataset& records,
                           std::int64_t max_records_per_unit, base::ThreadPool& threads)
    : net_(net),
      records_(records),
      threads_(threads),
      takes_part_(first_of_units(records, max_records_per_unit)),
      traces_(static_cast<std::size_t>(threads.size())) {
  check_fit(net.shape(), records);
}

void NetGradients::check(const NetState& state, const privacy::RowLayout& layout) const {
  if (layout == net_.layout() && std::ssize(state.block) == net_.layout().dense()) return;
  throw base::InternalError("a step's sum or numbers are not of the wide model's layout");
}

void NetGradients::differentiate(std::int64_t record, const NetState& state,
                                 model::WideTrace& trace) const {
  model::read_wide_record(net_, records_, record, trace);
  net_.forward(state.rows, state.block, trace);
  net_.backward(records_.label(record), state.block, trace);
}

template <typename Use>
void NetGradients::for_records(std::span<const std::int64_t> drawn, const Use& use) {
  constexpr std::int64_t block = 64;
  constexpr std::int64_t ahead = 4;
  const auto count = std::ssize(drawn);
  const auto at = [&](std::int64_t i) { return drawn[static_cast<std::size_t>(i)]; };
  threads_.for_blocks(count, block, [&](int worker, std::int64_t begin, std::int64_t end) {
    auto& trace = traces_[static_cast<std::size_t>(worker)];
    for (auto i = begin; i < end; ++i) {
      if (i + 2 * ahead < count) records_.fetch_ahead(at(i + 2 * ahead));
      if (i + ahead < count) prefetch_row(records_, at(i + ahead));
      // Without a target its gradient is 0: it keeps its place, and nothing is added.
      if (takes_part(at(i)) && records_.labelled(at(i))) use(at(i), trace, worker);
    }
  });
}

void NetGradients::add(std::span<const std::int64_t> drawn, const NetState& state,
                       optimize::RowBatch& batch) {
  check(state, batch.layout());
  for_records(drawn, [&](std::int64_t record, model::WideTrace& trace, int worker) {
    differentiate(record, state, trace);
    auto& arena = batch.arena(worker);
    arena.start(unit_of(record));
    net_.add_gradient(trace, arena);
    arena.finish();
  });
}

void NetGradients::add(std::span<const std::int64_t> drawn, const NetState& state,
                       optimize::RunningRowSum& sum) {
  check(state, net_.layout());
  for_records(drawn, [&](std::int64_t record, model::WideTrace& trace, int worker) {
    differentiate(record, state, trace);
    ChosenRows chosen{sum, sum.arena(worker)};
    chosen.arena.start();
    net_.add_gradient(trace, chosen);
    sum.finish(worker);
  });
}

void NetGradients::add(std::span<const std::int64_t> drawn, const NetState& state,
                       optimize::RowArena& arena, OpenRowSum& sum) {
  check(state, net_.layout());
  auto& trace = traces_.front();
  for (const auto record : drawn) {
    if (!takes_part(record)) continue;
    differentiate(record, state, trace);
    arena.start();
    net_.add_gradient(trace, arena);
    arena.finish();
    sum.add(arena.record(0));
    arena.clear();
  }
}

void NetGradients::touch(std::span<const std::int64_t> drawn, optimize::RowBatch& touched) {
  const auto& fields = net_.shape().fields;
  for_records(drawn, [&](std::int64_t record, model::WideTrace& trace, int worker) {
    model::read_wide_record(net_, records_, record, trace);
    auto& arena = touched.arena(worker);
    arena.start(unit_of(record));
    std::int64_t first = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (const auto& entry : trace.bags[f]) arena.touch(first + entry.id);
      first += fields[f].rows;
    }
    arena.finish();
  });
}

std::int64_t id_count(const model::WideShape& shape) {
  std::int64_t count = 0;
  for (const auto& field : shape.fields) count += field.rows;
  return count;
}

privacy::RowSelection rows_of_ids(const model::WideNet& net, std::span<const std::int64_t> ids) {
  const auto& shape = net.shape();
  std::vector<std::int64_t> rows;
  for (auto id : ids) {
    std::size_t field = 0;
    while (id >= shape.fields[field].rows) id -= shape.fields[field++].rows;
    rows.push_back(net.layout().row(field, id));
    if (shape.linear == model::LinearPart::present) {
      rows.push_back(net.layout().row(shape.fields.size() + field, id));
    }
  }
  return privacy::RowSelection::rows(std::move(rows));
}

}  // namespace tacet::learn
