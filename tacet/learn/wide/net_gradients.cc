#include "tacet/learn/wide/net_gradients.h"

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/optimize/sums/unit_limit.h"

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

}  // namespace

NetGradients::NetGradients(const model::WideNet& net, const data::Dataset& records,
                           base::ThreadPool& threads)
    : net_(net),
      records_(records),
      threads_(threads),
      readers_(static_cast<std::size_t>(threads.size())) {
  check_fit(net.shape(), records);
}

void NetGradients::read(std::int64_t record, Reader& reader) const {
  constexpr double unit = 1.0 / data::Dataset::feature_scale;
  reader.columns.clear();
  reader.values.clear();
  const auto add = [&](std::uint32_t column, std::int16_t value) {
    reader.columns.push_back(column);
    reader.values.push_back(unit * value);
  };
  if (records_.sparse()) {
    const auto row = records_.sparse_row(record);
    for (std::size_t k = 0; k < row.columns.size(); ++k) add(row.columns[k], row.values[k]);
  } else {
    const auto row = records_.dense_row(record);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] != 0) add(static_cast<std::uint32_t>(k), row[k]);
    }
  }
  net_.read(reader.columns, reader.values, reader.trace);
}

void NetGradients::add(std::span<const std::int64_t> drawn, const NetState& state,
                       optimize::RowBatch& batch) {
  if (!(batch.layout() == net_.layout()) || std::ssize(state.block) != net_.layout().dense()) {
    throw base::InternalError("a step's batch or numbers are not of the wide model's layout");
  }
  // A batch counts the records of a unit only where it may have several.
  std::vector<std::int64_t> taken;
  if (records_.has_units()) {
    optimize::UnitLimit limit(batch.limit().records_a_unit);
    std::ranges::copy_if(drawn, std::back_inserter(taken), [&](std::int64_t record) {
      return limit.admits(records_.unit_of(record));
    });
    drawn = taken;
  }
  constexpr std::int64_t block = 64;
  threads_.for_blocks(std::ssize(drawn), block,
                      [&](int worker, std::int64_t begin, std::int64_t end) {
                        auto& reader = readers_[static_cast<std::size_t>(worker)];
                        auto& arena = batch.arena(worker);
                        for (auto i = begin; i < end; ++i) {
                          const auto record = drawn[static_cast<std::size_t>(i)];
                          read(record, reader);
                          net_.forward(state.rows, state.block, reader.trace);
                          net_.backward(records_.label(record), state.block, reader.trace);
                          arena.start(records_.has_units() ? records_.unit_of(record) : -1);
                          net_.add_gradient(reader.trace, arena);
                          arena.finish();
                        }
                      });
}

}  // namespace tacet::learn
