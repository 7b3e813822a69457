#include <fmt/format.h>

#include "tacet/data/schema.h"

namespace tacet::data {
namespace {

/// Appends the encoded features of one column.
struct NameColumns {
  const std::string& name;
  std::int64_t column;
  std::vector<EncodedColumn>& out;

  void operator()(const NumericColumn&) const { add(name, -1); }
  void operator()(const CategoricalColumn& rule) const {
    if (rule.coding == Coding::sign) {
      add(fmt::format("{}={}|{}", name, rule.categories[1], rule.categories[0]), -1);
      return;
    }
    for (std::size_t k = 0; k < rule.categories.size(); ++k) {
      add(fmt::format("{}={}", name, rule.categories[k]), static_cast<std::int64_t>(k));
    }
    if (rule.other == OtherRule::column) add(name + "=(other)", -1);
  }
  void operator()(const HashedColumn& rule) const { add_buckets(rule.bits); }
  void operator()(const TextColumn& rule) const { add_buckets(rule.bits); }
  void operator()(const IgnoredColumn&) const {}

  void add_buckets(int bits) const {
    const std::int64_t buckets = std::int64_t{1} << bits;
    for (std::int64_t k = 0; k < buckets; ++k) add(fmt::format("{}#{}", name, k), k);
  }
  void add(std::string feature, std::int64_t category) const {
    out.push_back({.name = std::move(feature), .column = column, .category = category});
  }
};

}  // namespace

std::vector<EncodedColumn> Schema::encoded_columns() const {
  std::vector<EncodedColumn> out;
  out.reserve(static_cast<std::size_t>(encoded_column_count()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::visit(NameColumns{columns[k].name, static_cast<std::int64_t>(k), out}, columns[k].rule);
  }
  if (features) {
    // Numbered from 1, as LIBSVM files do.
    for (std::int64_t k = 1; k <= features->count; ++k) {
      out.push_back({.name = fmt::format("feature {}", k), .column = -1, .category = k - 1});
    }
  }
  if (intercept) out.push_back({.name = "(intercept)", .column = -1, .category = -1});
  return out;
}

}  // namespace tacet::data
