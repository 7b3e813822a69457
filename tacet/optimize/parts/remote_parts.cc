#include "tacet/optimize/parts/remote_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/optimize/sums/moment_sum.h"
#include "tacet/optimize/sums/presence_sum.h"

namespace tacet::optimize {
namespace {

template <typename... Values>
[[noreturn]] void fail(std::int64_t part, fmt::format_string<Values...> why, Values&&... values) {
  throw base::DataError("part {}: {}", part, fmt::format(why, std::forward<Values>(values)...));
}

/// Whether so many records can add up to the value, if each adds at most `each`.
bool within(std::int64_t value, std::int64_t rows, std::int64_t each) {
  const std::int64_t max = rows * each;  // 2^32 times 2^30 fits
  return value >= -max && value <= max;
}

/// All records of a unit lie in one part, or each part would count it by itself.
void check_units(std::span<const PartAnswer> answers) {
  std::map<std::array<std::int64_t, 2>, std::int64_t> part_of;
  for (const auto& answer : answers) {
    const auto count = answer.sums.front();
    if (count < 0 || count > answer.rows) {
      fail(answer.part, "it has answered with units that are none of its records");
    }
    if (2 * count + 1 > std::ssize(answer.sums)) {
      fail(answer.part,
           "it holds more units than there is room for in its answer, which is twice the declared "
           "number; say in the schema about how many there are in all parts: public_row_count");
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(2 * k + 1);
      const auto [known, is_new] =
          part_of.try_emplace({answer.sums[place], answer.sums[place + 1]}, answer.part);
      if (is_new) continue;
      throw base::DataError(
          "part {} and part {} hold records of one unit; all records of a unit must lie in one "
          "part, or they are not protected together",
          known->second, answer.part);
    }
  }
}

}  // namespace

void check_round(std::int64_t parts, std::int64_t numbers) {
  const auto max = max_round_bytes / std::int64_t{sizeof(std::int64_t)};
  if (numbers <= max / std::max<std::int64_t>(parts, 1)) return;
  throw base::UsageError(
      "{} parts that answer with {} numbers each send more than {} MB a round; take fewer parts or "
      "fewer columns (`feature_selection=auto`)",
      parts, numbers, max_round_bytes >> 20);
}

UnitRounds unit_rounds(std::int64_t parts, std::optional<std::int64_t> declared) {
  // A guess of the number may be half of it. Undeclared ones are thought to be no more than this:
  // 4 MB of each part.
  constexpr std::int64_t usual_units = 1 << 17;
  constexpr std::int64_t fewest_units = 256;
  constexpr std::int64_t max_units = std::int64_t{1} << 40;
  const auto units = 2 * std::clamp(declared.value_or(usual_units), fewest_units, max_units);
  const auto max = max_round_bytes / std::int64_t{sizeof(std::int64_t)};
  for (int bits = 0; bits <= max_share_bits; ++bits) {
    // Hashes fall into shares at random. Eight standard deviations of a share's number above its
    // mean are exceeded once in 10^15.
    const double mean = std::ldexp(static_cast<double>(units), -bits);
    const double spread = bits == 0 ? 0 : 8 * std::sqrt(mean) + 64;
    const UnitRounds rounds{bits, static_cast<std::int64_t>(std::ceil(mean + spread))};
    if (rounds.numbers() <= max / std::max<std::int64_t>(parts, 1)) return rounds;
  }
  throw base::UsageError(
      "{} parts that each answer with hashes of up to {} units are more than {} rounds of {} MB; "
      "take fewer parts, or declare fewer units",
      parts, units, std::int64_t{1} << max_share_bits, max_round_bytes >> 20);
}

RemoteParts::RemoteParts(RemoteRun run) : run_(std::move(run)) {
  if (run_.parts < 1) throw base::UsageError("there are no parts; name at least one source");
  known_.resize(static_cast<std::size_t>(run_.parts));
}

data::DatasetShape RemoteParts::shape() const {
  return released_ ? released_->schema.shape() : run_.reading.shape();
}

SumRequest RemoteParts::request(const SumTask& task) const {
  return {.settings = settings_to_text({run_.reading, released_, task})};
}

void RemoteParts::rewrite(const ReleasedSchema& released) {
  released_ = released;
  gradients_.reset();
}

void RemoteParts::open() {
  if (!has_units()) {
    static_cast<void>(ask(request(RowsTask{}), {}));
    return;
  }
  const auto declared = run_.declared_units ? run_.declared_units : run_.reading.public_row_count;
  const auto rounds = unit_rounds(run_.parts, declared);
  for (std::int64_t share = 0; share < rounds.count(); ++share) {
    const RowsTask task{rounds.share_bits, share, rounds.hashes};
    check_units(ask(request(task), {.sums = rounds.numbers(), .units = true}));
  }
  units_checked_ = true;
}

std::int64_t RemoteParts::rows() {
  if (std::ranges::any_of(known_, [](const auto& part) { return !part; })) open();
  std::int64_t rows = 0;
  for (const auto& part : known_) rows += part->rows;
  return rows;
}

void RemoteParts::start(const GradientTask& task) {
  const auto sums = shape().columns * task.outputs;
  check_round(run_.parts, sums);
  gradients_ = request(task);
  of_gradients_ = {.sums = sums, .each = std::int64_t{1} << task.limit.norm_bits};
}

std::vector<std::int64_t> RemoteParts::add_gradients(std::span<const double> weights, Basis basis) {
  if (!gradients_) throw base::InternalError("gradients were asked for before it was said of what");
  gradients_->basis = basis;
  gradients_->weights.assign(weights.begin(), weights.end());
  return added(*gradients_, of_gradients_);
}

std::vector<std::int64_t> RemoteParts::add_moments(const MomentTask& task) {
  return added(request(task), {.sums = moment_terms(task.schema, task.moments),
                               .each = std::int64_t{1} << task.norm_bits});
}

std::vector<std::int64_t> RemoteParts::add_gram(const GramTask& task) {
  const auto values =
      static_cast<std::int64_t>(GramShape{gram_rows(task).columns, task.outputs}.values());
  check_round(run_.parts, values);
  // A stored number and a label are at most the scale of the grid.
  constexpr std::int64_t scale = data::Dataset::feature_scale;
  auto asked = request(task);
  if (task.numbers) asked.basis = Basis::released;  // their means
  return added(asked, {.sums = values, .each = scale * scale});
}

std::vector<std::int64_t> RemoteParts::add_predictions(const model::LinearModel& model,
                                                       const PredictionCells& cells) {
  if (model.wide) {
    throw base::UsageError(
        "a wide model has tables of numbers, which records in parts are not asked about; evaluate "
        "it where the records are");
  }
  auto asked = request(PredictionTask{model.loss, cells});
  asked.basis = Basis::released;
  asked.weights = model.coefficients;
  // The records that took part stand behind the sums.
  auto total = added(
      asked, {.sums = CellSum::terms(cells.shape) + 1, .each = std::int64_t{1} << cells.norm_bits});
  if (total.back() < 0 || total.back() > rows()) {
    throw base::DataError("the parts say that more records took part than they hold");
  }
  return total;
}

std::vector<ColumnCount> RemoteParts::add_presence(const PresenceTask& task) {
  const auto ranges = task.schema.choosable_columns();
  std::int64_t columns = 0;
  for (const auto& [begin, end] : ranges) columns += end - begin;
  check_round(run_.parts, columns);
  const auto sums = added(request(task), {.sums = columns, .each = presence_norm});
  std::vector<ColumnCount> counts;
  auto sum = sums.begin();
  for (const auto& [begin, end] : ranges) {
    for (auto column = begin; column < end; ++column, ++sum) {
      if (*sum != 0) counts.push_back({column, *sum});
    }
  }
  return counts;
}

std::vector<std::int64_t> RemoteParts::added(const SumRequest& request, const Expected& expected) {
  auto answers = ask(request, expected);
  auto total = std::move(answers.front().sums);
  for (std::size_t k = 1; k < answers.size(); ++k) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += answers[k].sums[i];
  }
  return total;
}

PartAnswer RemoteParts::opened(const std::string& bytes) const {
  return PartAnswer::from_bytes(run_.key != nullptr ? run_.key->open(bytes) : bytes);
}

std::vector<PartAnswer> RemoteParts::ask(const SumRequest& request, const Expected& expected) {
  // A sum bounds what a unit adds in one part: no sum is asked for before units are known to lie in
  // one part each.
  if (has_units() && !units_checked_ && !expected.units) open();
  if (before_disclosure_ && (released_ || request.basis == Basis::released)) {
    std::exchange(before_disclosure_, nullptr)();
  }
  const auto bytes = request.to_bytes();
  const auto digest = digest_of(bytes);
  const auto received = run_.ask(bytes);
  std::vector<PartAnswer> answers;
  std::vector<bool> answered(known_.size());
  std::int64_t size = 0;
  for (const auto& sealed : received) {
    size += std::ssize(sealed);
    if (size > max_round_bytes + std::ssize(received) * 4096) {
      throw base::UsageError(
          "the answers of one round are more than {} MB; take fewer parts or "
          "fewer columns",
          max_round_bytes >> 20);
    }
    auto answer = opened(sealed);
    if (answer.part < 0 || answer.part >= run_.parts) {
      fail(answer.part, "there are only parts 0 to {}", run_.parts - 1);
    }
    const auto place = static_cast<std::size_t>(answer.part);
    if (answered[place]) {
      fail(answer.part, "it has answered twice, so that its records would count twice");
    }
    answered[place] = true;
    check(answer, digest, expected);
    answers.push_back(std::move(answer));
  }
  const auto missing = std::ranges::find(answered, false);
  if (missing != answered.end()) {
    fail(missing - answered.begin(), "it has not answered, so that its records would not count");
  }
  return answers;
}

void RemoteParts::check(const PartAnswer& answer, const std::string& digest,
                        const Expected& expected) {
  const auto part = answer.part;
  if (answer.version != base::version) {
    fail(part, "its worker has tacet {}, and this is tacet {}; install the same version there",
         answer.version, base::version);
  }
  if (answer.request != digest) fail(part, "it has answered another request than was asked");
  if (!answer.failure.empty()) {
    fail(part,
         "its worker ended with {}; the text stays there, for it may quote values. Try the "
         "source by itself, where its records may be seen",
         answer.failure);
  }
  check_records(answer);
  check_sums(answer, expected);
}

void RemoteParts::check_sums(const PartAnswer& answer, const Expected& expected) const {
  const auto part = answer.part;
  if (std::ssize(answer.sums) != expected.sums) {
    fail(part, "it has answered with {} numbers instead of {}", answer.sums.size(), expected.sums);
  }
  if (expected.units) return;  // check_units() looks at all of them together
  for (const auto value : answer.sums) {
    if (!within(value, answer.rows, expected.each)) {
      fail(part, "one of its sums is larger than its records can add up to");
    }
  }
}

void RemoteParts::check_records(const PartAnswer& answer) {
  auto& known = known_[static_cast<std::size_t>(answer.part)];
  if (answer.rows < 0 || answer.rows > max_rows_of_all) {
    fail(answer.part, "a part may hold at most 2^32 records");
  }
  if (known && (known->rows != answer.rows || known->records != answer.records)) {
    fail(answer.part, "its records are others than before: the source has changed meanwhile");
  }
  known = {answer.rows, answer.records};
  std::int64_t all = 0;
  for (const auto& part : known_) all += part ? part->rows : 0;
  if (all > max_rows_of_all) {
    throw base::UsageError("all parts together may hold at most 2^32 records for one sum");
  }
}

}  // namespace tacet::optimize
