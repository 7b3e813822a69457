#include "tacet/data/schema/schema.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::data {
namespace {

// The choice of the storage assumes this many different words per record in a text column.
constexpr std::int64_t usual_words = 64;
// Below this width a dense row is no longer than the overhead of a sparse one.
constexpr std::int64_t narrowest_sparse = 64;

struct ColumnWidth {
  std::int64_t operator()(const NumericColumn& rule) const { return rule.width(); }
  std::int64_t operator()(const CategoricalColumn& rule) const { return rule.width(); }
  std::int64_t operator()(const HashedColumn& rule) const { return std::int64_t{1} << rule.bits; }
  std::int64_t operator()(const TextColumn& rule) const { return std::int64_t{1} << rule.bits; }
  std::int64_t operator()(const IdsColumn& rule) const {
    return rule.count.value_or(std::int64_t{1} << rule.bits);
  }
  std::int64_t operator()(const CrossedColumn& rule) const { return std::int64_t{1} << rule.bits; }
  std::int64_t operator()(const IgnoredColumn&) const { return 0; }
};

Storage by_width(std::int64_t width, std::int64_t touched) {
  return width > narrowest_sparse && touched < width / 4 ? Storage::sparse : Storage::dense;
}

bool choosable(const Column& column) {
  return std::holds_alternative<HashedColumn>(column.rule) ||
         std::holds_alternative<TextColumn>(column.rule) ||
         std::holds_alternative<IdsColumn>(column.rule) ||
         std::holds_alternative<CrossedColumn>(column.rule);
}

}  // namespace

bool Column::standardised() const {
  if (const auto* number = std::get_if<NumericColumn>(&rule)) return number->standard.has_value();
  const auto* listed = std::get_if<CategoricalColumn>(&rule);
  return listed != nullptr && !listed->scales.empty();
}

std::int64_t Column::width() const { return std::visit(ColumnWidth{}, rule); }

std::span<const std::string> Column::sources() const {
  if (const auto* crossed = std::get_if<CrossedColumn>(&rule)) return crossed->names;
  if (ignored()) return {};
  return {&name, 1};
}

std::vector<std::string> BinaryTarget::names() const {
  const auto name = [](const std::string& called, const std::vector<std::string>& labels,
                       const char* usual) {
    if (!called.empty()) return called;
    return labels.size() == 1 ? labels.front() : std::string(usual);
  };
  std::vector<std::string> names{name(negative_called, negative, "negative"),
                                 name(positive_called, positive, "positive")};
  // If both classes would get the same name, for example because one has the single label
  // "negative", use the usual names.
  const bool given = !negative_called.empty() || !positive_called.empty();
  if (names[0] == names[1] && !given) return {"negative", "positive"};
  return names;
}

bool Target::regression() const { return std::holds_alternative<RegressionTarget>(rule); }

NumberKind Target::number_kind() const { return std::get<RegressionTarget>(rule).kind; }

std::int64_t Target::class_count() const { return static_cast<std::int64_t>(class_names().size()); }

LabelDomain Target::labels() const {
  if (std::holds_alternative<BinaryTarget>(rule)) return LabelDomain::signs();
  if (!regression()) return LabelDomain::classes(class_count());
  return LabelDomain::interval(number_kind() == NumberKind::number ? -1 : 0, 1);
}

std::vector<std::string> Target::class_names() const {
  if (const auto* binary = std::get_if<BinaryTarget>(&rule)) {
    return binary->names();
  }
  if (const auto* multi = std::get_if<MultiClassTarget>(&rule)) return multi->classes;
  return {};
}

std::vector<std::string> Schema::feature_columns() const {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const Column& column : columns) {
    for (const std::string& source : column.sources()) {
      if (seen.insert(source).second) names.push_back(source);
    }
  }
  return names;
}

std::vector<std::string> Schema::required_columns() const {
  auto names = feature_columns();
  if (target && !target->column.empty()) names.push_back(target->column);
  if (unit) names.push_back(*unit);
  return names;
}

std::int64_t Schema::encoded_column_count() const {
  if (projection) return projection->width + (intercept ? 1 : 0);
  auto count = full_column_count();
  if (!selected_columns) return count;
  for (const auto& [begin, end] : choosable_columns()) count -= end - begin;
  return count + std::ssize(*selected_columns);
}

Schema Schema::unnarrowed() const {
  Schema full = *this;
  full.projection.reset();
  full.selected_columns.reset();
  return full;
}

std::int64_t Schema::full_column_count() const {
  std::int64_t count = intercept ? 1 : 0;
  if (features) count += features->count;
  for (const Column& column : columns) count += column.width();
  for (const auto& pair : pair_features(*this)) count += pair.width();
  if (curves) count += curves->directions;
  return count;
}

std::int64_t Schema::block_count() const {
  std::int64_t blocks = intercept ? 1 : 0;
  if (features) blocks += features->max_nonzero.value_or(features->count);
  for (const Column& column : columns) blocks += column.ignored() ? 0 : 1;
  return blocks + std::ssize(interactions);
}

double Schema::unscaled_square() const {
  auto square = static_cast<double>(block_count());
  if (intercept) square += constant * constant - 1;
  for (const Column& column : columns) {
    if (const auto* rule = std::get_if<NumericColumn>(&column.rule)) {
      square += NumericMap(*rule).max_square() - 1;
    }
    const auto* listed = std::get_if<CategoricalColumn>(&column.rule);
    if (listed == nullptr || listed->scales.empty()) continue;
    const double longest = std::ranges::max(listed->scales);
    square += longest * longest - 1;
  }
  return square;
}

double Schema::norm_bound() const {
  return row_scaling == RowScaling::none ? std::sqrt(unscaled_square()) : 1.0;
}

std::int64_t Schema::touched_columns() const {
  std::int64_t touched = block_count();
  for (const Column& column : columns) {
    if (std::holds_alternative<TextColumn>(column.rule)) touched += usual_words - 1;
    const auto* ids = std::get_if<IdsColumn>(&column.rule);
    if (ids != nullptr) touched += std::min(ids->max_ids, usual_words) - 1;
    const auto* number = std::get_if<NumericColumn>(&column.rule);
    if (number != nullptr) touched += number->touched() - 1;
  }
  return touched;
}

Storage Schema::storage_kind() const {
  if (storage == StorageChoice::dense) return Storage::dense;
  if (storage == StorageChoice::sparse) return Storage::sparse;
  if (projection && projection->family != ProjectionFamily::countsketch) return Storage::dense;
  if (curves) return Storage::dense;
  std::int64_t touched = touched_columns();
  if (features && !features->max_nonzero) return format.kind->storage;
  if (projection) touched *= projection->blocks;
  return by_width(encoded_column_count(), touched);
}

std::vector<HatColumns> Schema::packed_numbers() const {
  if (!packs_numbers || storage != StorageChoice::automatic || projection || selected_columns) {
    return {};
  }
  // A row of few numbers is read faster as it is.
  constexpr std::size_t min_numbers = 16;
  // The other numbers of a packed row are integers of 16 bits before the row is scaled.
  constexpr double max_feature = 15;
  std::vector<HatColumns> packed;
  std::uint32_t first = 0;
  for (const Column& column : columns) {
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule != nullptr) {
      const NumericMap map(*rule);
      const HatColumns number{.line = first,
                              .knots = static_cast<std::uint32_t>(rule->hat_functions()),
                              .slope = map.constants().slope,
                              .zero = map.constants().zero};
      if (number.packs()) {
        packed.push_back(number);
      } else if (std::sqrt(map.max_square()) > max_feature) {
        return {};
      }
    }
    first += static_cast<std::uint32_t>(column.width());
  }
  if (packed.size() < min_numbers) packed.clear();
  return packed;
}

DatasetShape Schema::shape() const {
  DatasetShape shape{.columns = encoded_column_count(),
                     .norm_bound = norm_bound(),
                     .storage = storage_kind(),
                     .labels = target ? target->labels() : LabelDomain::none(),
                     .hats = packed_numbers()};
  if (shape.hats.empty()) return shape;
  // The storage depends on the columns that are not packed. A packed number touches none of them.
  std::int64_t width = shape.columns;
  for (const auto& number : shape.hats) width -= 1 + std::int64_t{number.knots};
  const auto touched = touched_columns() - 3 * std::ssize(shape.hats);
  if (by_width(width, touched) == Storage::sparse) {
    shape.hats.clear();
  } else {
    shape.storage = Storage::dense;
  }
  return shape;
}

DatasetShape Schema::unlabelled_shape() const {
  auto without = shape();
  without.labels = LabelDomain::none();
  return without;
}

std::vector<ColumnRange> Schema::choosable_columns() const {
  std::vector<ColumnRange> ranges;
  std::int64_t first = 0;
  for (const Column& column : columns) {
    const auto width = column.width();
    if (choosable(column)) {
      ranges.emplace_back(static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(first + width));
    }
    first += width;
  }
  if (features) ranges.emplace_back(0U, static_cast<std::uint32_t>(features->count));
  return ranges;
}

std::vector<std::uint32_t> Schema::retained_columns() const {
  std::vector<std::uint32_t> retained;
  std::uint32_t next = 0;
  const auto add_up_to = [&](std::uint32_t end) {
    for (; next < end; ++next) retained.push_back(next);
  };
  auto kept = selected_columns->begin();
  for (const auto& [begin, end] : choosable_columns()) {
    add_up_to(begin);
    for (; kept != selected_columns->end() && *kept < end; ++kept) retained.push_back(*kept);
    next = end;
  }
  add_up_to(static_cast<std::uint32_t>(full_column_count()));
  return retained;
}

}  // namespace tacet::data
