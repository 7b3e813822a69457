#include "tacet/optimize/parts/part.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/base/version.h"

namespace tacet::optimize {
namespace {

std::string text_of(const data::Schema& schema) {
  return data::schema_to_json(schema).dump() + (schema.packs_numbers ? " packed" : "");
}

template <typename Value>
void add_bytes(base::Sha256& sum, std::span<const Value> values) {
  // Chars may look at any object.
  sum.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

/// Equal only for equal records, and useless without the key of the run.
std::string digest_of_records(const data::Dataset& records, const std::string& key) {
  base::Sha256 sum;
  sum.add(key);
  std::vector<std::int16_t> room;
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    const double label = records.label(row);
    const std::int64_t unit = records.has_units() ? records.unit_of(row) : 0;
    const std::int64_t features =
        records.sparse() ? std::ssize(records.sparse_row(row).columns) : records.columns();
    add_bytes(sum, std::span(&label, 1));
    add_bytes(sum, std::span(&unit, 1));
    add_bytes(sum, std::span(&features, 1));
    sum.add(records.labelled(row) ? "+" : "-");
    if (records.sparse()) {
      add_bytes(sum, records.sparse_row(row).columns);
      add_bytes(sum, records.sparse_row(row).values);
    } else if (const auto* packing = records.packing()) {
      // Features are rounded, so that neighbouring positions may have the same ones.
      add_bytes(sum, std::span(records.packed_row(row), packing->numbers().words()));
      add_bytes(sum, records.odd_row(row));
    } else {
      add_bytes(sum, records.dense_row(row, room));
    }
  }
  return sum.digest();
}

std::vector<UnitHash> unit_hashes(const data::Dataset& records,
                                  const std::vector<std::string>& names, const std::string& key) {
  if (!records.has_units()) return {};
  if (std::ssize(names) != records.unit_count()) {
    throw base::InternalError("{} names of {} units", names.size(), records.unit_count());
  }
  std::vector<UnitHash> hashes;
  hashes.reserve(names.size());
  for (const auto& name : names) {
    base::Sha256 sum;
    sum.add(key);
    sum.add("unit");
    sum.add(name);
    const auto digits = sum.digest();
    auto& hash = hashes.emplace_back();
    for (std::size_t k = 0; k < hash.size(); ++k) {
      std::from_chars(digits.data() + 16 * k, digits.data() + 16 * (k + 1), hash[k], 16);
    }
  }
  std::ranges::sort(hashes);
  return hashes;
}

/// How many units fall into a share, then their hashes, as far as there is room; then zeros, so
/// that an answer is as long for any number of units, which may be private.
std::vector<std::int64_t> hashes_of_share(std::span<const UnitHash> units, const RowsTask& task) {
  if (task.hashes == 0) return {};
  // In two steps: a shift by all 64 bits is none.
  const auto share_of = [&](const UnitHash& hash) {
    return static_cast<std::int64_t>(hash.front() >> 32 >> (32 - task.share_bits));
  };
  const auto found = std::ranges::equal_range(units, task.share, {}, share_of);
  std::vector<std::int64_t> out{std::ssize(found)};
  out.reserve(static_cast<std::size_t>(2 * task.hashes + 1));
  const auto kept = std::min(std::ssize(found), task.hashes);
  for (const auto& hash : std::span(found).first(static_cast<std::size_t>(kept))) {
    for (const auto half : hash) out.push_back(static_cast<std::int64_t>(half));
  }
  out.resize(static_cast<std::size_t>(2 * task.hashes + 1), 0);
  return out;
}

/// A number for each column that may be chosen: which ones occur is as private as how often.
std::vector<std::int64_t> in_all_columns(std::span<const ColumnCount> counts,
                                         const data::Schema& schema) {
  std::vector<std::int64_t> out;
  auto next = counts.begin();
  for (const auto& [begin, end] : schema.choosable_columns()) {
    for (auto column = begin; column < end; ++column) {
      const bool occurs = next != counts.end() && next->column == column;
      out.push_back(occurs ? next->count : 0);
      if (occurs) ++next;
    }
  }
  return out;
}

}  // namespace

Part::Part(PartPlace place, PartRecords read, data::Schema reading, base::ThreadPool& threads,
           CurveMaps& maps)
    : place_(std::move(place)),
      records_(std::move(read.records)),
      reading_(text_of(reading)),
      threads_(threads),
      maps_(maps),
      digest_(digest_of_records(records_, place_.key)),
      units_(unit_hashes(records_, read.units, place_.key)),
      sums_(std::make_unique<RecordSums>(records_, threads_)) {}

void Part::follow(const std::string& settings) {
  if (settings_ && settings == settings_text_) return;
  auto next = settings_from_text(settings);
  if (text_of(next.reading) != reading_) {
    throw base::DataError("the records were read by another schema than the request's");
  }
  settings_.reset();
  const auto released = next.released ? text_of(next.released->schema) : std::string();
  if (released != released_) {
    auto sums = std::make_unique<RecordSums>(records_, threads_);
    if (next.released) {
      auto& schema = next.released->schema;
      if (schema.curves) {
        schema.curves = maps_.of(schema, threads_);
        schema.validate();
      }
      sums->rewrite(*next.released);
    }
    sums_ = std::move(sums);
    released_ = released;
  }
  if (const auto* task = std::get_if<GradientTask>(&next.task)) sums_->start(*task);
  settings_ = std::move(next);
  settings_text_ = settings;
}

void Part::add(const SumRequest& request, PartAnswer& answer) const {
  std::visit(
      [&](const auto& task) {
        using Task = std::decay_t<decltype(task)>;
        if constexpr (std::is_same_v<Task, RowsTask>) {
          answer.sums = hashes_of_share(units_, task);
        } else if constexpr (std::is_same_v<Task, GradientTask>) {
          answer.sums = sums_->gradients(request.weights);
        } else if constexpr (std::is_same_v<Task, MomentTask>) {
          answer.sums = sums_->moments(task);
        } else if constexpr (std::is_same_v<Task, PresenceTask>) {
          answer.sums = in_all_columns(sums_->presence(task), task.schema);
        } else if constexpr (std::is_same_v<Task, GramTask>) {
          answer.sums = sums_->gram(task);
        } else if constexpr (std::is_same_v<Task, PredictionTask>) {
          auto model = model::empty_model(settings_->reading, task.loss);
          if (model.coefficients.size() != request.weights.size()) {
            throw base::DataError("the request has coefficients of another model");
          }
          model.coefficients = request.weights;
          answer.sums = prediction_integers(sums_->records(), model, task.cells);
        }
      },
      settings_->task);
}

std::string Part::answer(std::string_view request) {
  const auto asked = SumRequest::from_bytes(request);
  follow(asked.settings);
  PartAnswer answer{.request = digest_of(request),
                    .version = std::string(base::version),
                    .part = place_.part,
                    .rows = records_.rows(),
                    .records = digest_};
  add(asked, answer);
  return answer.to_bytes();
}

std::string failed_answer(std::int64_t part, std::string_view request, std::string_view kind) {
  return PartAnswer{.request = digest_of(request),
                    .version = std::string(base::version),
                    .part = part,
                    .failure = std::string(kind)}
      .to_bytes();
}

}  // namespace tacet::optimize
