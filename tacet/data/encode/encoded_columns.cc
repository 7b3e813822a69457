#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/schema/feature_names.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {
namespace {

std::string category_name(const Column& column, std::int64_t category) {
  const auto& listed = std::get<CategoricalColumn>(column.rule).categories;
  const auto place = static_cast<std::size_t>(category);
  return column.name + "=" + (place < listed.size() ? listed[place] : "(other)");
}

/// Tells `receiver` the encoded features of one column.
template <typename Receiver>
struct NameColumns {
  const std::string& name;
  std::int64_t column;
  Receiver& receiver;

  void operator()(const NumericColumn& rule) const {
    const NumericMap map(rule);
    for (std::int64_t k = 0; k < map.width(); ++k) {
      receiver.add(map.feature_name(name, k), column, k);
    }
  }
  void operator()(const CategoricalColumn& rule) const {
    if (rule.coding == Coding::sign) {
      receiver.add(fmt::format("{}={}|{}", name, rule.categories[1], rule.categories[0]), column,
                   -1);
      return;
    }
    for (std::size_t k = 0; k < rule.categories.size(); ++k) {
      receiver.add(fmt::format("{}={}", name, rule.categories[k]), column,
                   static_cast<std::int64_t>(k));
    }
    if (rule.other == OtherRule::column) receiver.add(name + "=(other)", column, -1);
  }
  void operator()(const HashedColumn& rule) const { add_buckets(rule.bits); }
  void operator()(const TextColumn& rule) const { add_buckets(rule.bits); }
  void operator()(const IdsColumn& rule) const {
    if (!rule.count) return add_buckets(rule.bits);
    receiver.add_numbered(name + "=", column, 0, *rule.count);
  }
  void operator()(const CrossedColumn& rule) const { add_buckets(rule.bits); }
  void operator()(const IgnoredColumn&) const {}

  void add_buckets(int bits) const {
    receiver.add_numbered(name + "#", column, 0, std::int64_t{1} << bits);
  }
};

/// Passes on only the features in a list of columns.
template <typename Receiver>
class Retained {
 public:
  Retained(std::vector<std::uint32_t> columns, Receiver receiver)
      : columns_(std::move(columns)), receiver_(receiver) {}

  void add(std::string name, std::int64_t column, std::int64_t category) {
    if (next_ < columns_.size() && columns_[next_] == at_) {
      receiver_.add(std::move(name), column, category);
      ++next_;
    }
    ++at_;
  }
  void add_numbered(const std::string& prefix, std::int64_t column, std::int64_t first,
                    std::int64_t count) {
    for (; next_ < columns_.size() && columns_[next_] < at_ + count; ++next_) {
      const auto place = columns_[next_] - at_;
      receiver_.add(fmt::format("{}{}", prefix, first + place), column, place);
    }
    at_ += count;
  }

 private:
  std::vector<std::uint32_t> columns_;
  Receiver receiver_;
  std::size_t next_ = 0;
  std::int64_t at_ = 0;
};

template <typename Receiver>
void visit_full_features(const Schema& schema, Receiver receiver) {
  for (std::size_t k = 0; k < schema.columns.size(); ++k) {
    const Column& column = schema.columns[k];
    std::visit(NameColumns<Receiver>{column.name, static_cast<std::int64_t>(k), receiver},
               column.rule);
  }
  std::int64_t place = 0;
  for (const auto& pair : pair_features(schema)) {
    const auto& first = schema.columns[pair.first_column];
    const auto& second = schema.columns[pair.second_column];
    for (std::int64_t k = 0; k < pair.width(); ++k) {
      receiver.add(category_name(first, k / pair.second_width) + " & " +
                       category_name(second, k % pair.second_width),
                   -1, place++);
    }
  }
  // Numbered from 1, as LIBSVM files do.
  if (schema.features) receiver.add_numbered("feature ", -1, 1, schema.features->count);
  if (schema.curves) receiver.add_numbered("curve ", -1, 1, schema.curves->directions);
  if (schema.intercept) receiver.add("(intercept)", -1, -1);
}

template <typename Receiver>
void visit_features(const Schema& schema, Receiver receiver) {
  if (schema.projection) {
    receiver.add_numbered("projected ", -1, 0, schema.projection->width);
    if (schema.intercept) receiver.add("(intercept)", -1, -1);
  } else if (schema.selected_columns) {
    visit_full_features(schema, Retained<Receiver>(schema.retained_columns(), receiver));
  } else {
    visit_full_features(schema, receiver);
  }
}

struct ColumnList {
  std::vector<EncodedColumn>& out;

  void add(std::string name, std::int64_t column, std::int64_t category) const {
    out.push_back({.name = std::move(name), .column = column, .category = category});
  }
  void add_numbered(const std::string& prefix, std::int64_t column, std::int64_t first,
                    std::int64_t count) const {
    for (std::int64_t k = 0; k < count; ++k) add(fmt::format("{}{}", prefix, first + k), column, k);
  }
};

struct NameList {
  FeatureNames& out;

  void add(std::string name, std::int64_t, std::int64_t) const { out.add(std::move(name)); }
  void add_numbered(std::string prefix, std::int64_t, std::int64_t first,
                    std::int64_t count) const {
    out.add_numbered(std::move(prefix), first, count);
  }
};

}  // namespace

std::vector<EncodedColumn> Schema::encoded_columns() const {
  std::vector<EncodedColumn> out;
  out.reserve(static_cast<std::size_t>(encoded_column_count()));
  visit_features(*this, ColumnList{out});
  return out;
}

FeatureNames feature_names(const Schema& schema) {
  FeatureNames out;
  visit_features(schema, NameList{out});
  return out;
}

}  // namespace tacet::data
