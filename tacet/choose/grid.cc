#include "tacet/choose/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/base/text.h"
#include "tacet/data/file_text.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::choose {
namespace {

using data::internal::fail_at;
using data::internal::Node;
using data::internal::NodeArray;
using data::internal::NodeTable;

constexpr std::array of_all{"epsilon", "delta", "adjacency", "public-row-count", "threads"};

struct Axis {
  std::string name;
  std::vector<std::string> values;
  std::vector<double> weights;
};

void check_name(const std::string& name, std::string_view where) {
  if (std::ranges::find(of_all, std::string_view(name)) != of_all.end()) {
    fail_at(where, "{} is one for all candidates: take it out of the grid, and give {}", name,
            base::parameter_name(name));
  }
  if (learn::find_parameter(name) != nullptr) return;
  std::vector<std::string> names;
  for (const auto& parameter : learn::parameters()) names.emplace_back(parameter.name);
  fail_at(where, "there is no parameter named {}{}; the names are those of a training's parameters",
          name, base::did_you_mean(name, names));
}

std::string value_text(const Node& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&node.value)) return fmt::format("{}", *real);
  fail_at(node.where, "a value is a number or a text in quotes");
}

double weight_of(const Node& node) {
  const auto* whole = std::get_if<std::int64_t>(&node.value);
  const auto* real = std::get_if<double>(&node.value);
  const double weight = whole != nullptr ? static_cast<double>(*whole) : real ? *real : 0;
  if (!(weight > 0) || !(weight <= 1e6)) {
    fail_at(node.where, "a weight is a number above 0, at most 10^6");
  }
  return weight;
}

const NodeTable& table_of(const Node& node, std::string_view name) {
  const auto* table = std::get_if<NodeTable>(&node.value);
  if (table == nullptr) fail_at(node.where, "{} is a table", name);
  return *table;
}

const NodeArray& array_of(const Node& node, std::string_view what) {
  const auto* array = std::get_if<NodeArray>(&node.value);
  if (array == nullptr) fail_at(node.where, "{}", what);
  return *array;
}

void set(Candidate& candidate, const std::string& name, const std::string& value,
         std::string_view where) {
  try {
    candidate.values.set(name, value);
  } catch (const base::UsageError& error) {
    fail_at(where, "{}", error.what());
  }
  candidate.name += fmt::format("{}{}={}", candidate.name.empty() ? "" : " ", name, value);
}

std::vector<Axis> axes_of(const Node& node) {
  std::vector<Axis> axes;
  for (const auto& [key, list] : table_of(node, "[values]")) {
    check_name(key, list.where);
    Axis axis{key, {}, {}};
    for (const auto& value : array_of(list, "values are lists: name = [first, second]")) {
      const auto text = value_text(value);
      if (std::ranges::find(axis.values, text) != axis.values.end()) {
        fail_at(value.where, "{} has {} twice; give it a weight instead", key, text);
      }
      Candidate alone;
      set(alone, key, text, value.where);
      axis.values.push_back(text);
    }
    if (axis.values.empty()) fail_at(list.where, "{} has no values", key);
    axis.weights.assign(axis.values.size(), 1);
    axes.push_back(std::move(axis));
  }
  return axes;
}

void weigh(std::vector<Axis>& axes, const Node& node) {
  for (const auto& [key, list] : table_of(node, "[weights]")) {
    const auto axis = std::ranges::find(axes, key, &Axis::name);
    if (axis == axes.end()) fail_at(list.where, "{} has weights but no [values]", key);
    const auto& weights = array_of(list, "weights are lists, one for each value");
    if (weights.size() != axis->values.size()) {
      fail_at(list.where, "{} has {} values and {} weights", key, axis->values.size(),
              weights.size());
    }
    std::ranges::transform(weights, axis->weights.begin(), weight_of);
  }
}

void add_product(ParameterGrid& grid, const std::vector<Axis>& axes, std::string_view where) {
  if (axes.empty()) return;
  std::int64_t count = 1;
  for (const auto& axis : axes) {
    count *= std::ssize(axis.values);
    if (count > max_candidates) {
      fail_at(where, "the product of [values] has more than {} candidates", max_candidates);
    }
  }
  for (std::int64_t k = 0; k < count; ++k) {
    Candidate candidate;
    std::int64_t rest = k;
    std::int64_t below = count;
    for (const auto& axis : axes) {
      below /= std::ssize(axis.values);
      const auto place = static_cast<std::size_t>(rest / below);
      rest %= below;
      set(candidate, axis.name, axis.values[place], where);
      candidate.weight *= axis.weights[place];
    }
    grid.candidates.push_back(std::move(candidate));
  }
}

void add_single(ParameterGrid& grid, const Node& node) {
  Candidate candidate;
  for (const auto& [key, value] : table_of(node, "[[candidate]]")) {
    if (key == "weight") {
      candidate.weight = weight_of(value);
      continue;
    }
    check_name(key, value.where);
    set(candidate, key, value_text(value), value.where);
  }
  if (candidate.name.empty()) candidate.name = "defaults";
  grid.candidates.push_back(std::move(candidate));
  if (std::ssize(grid.candidates) > max_candidates) {
    fail_at(node.where, "there are more than {} candidates", max_candidates);
  }
}

void check_distinct(const ParameterGrid& grid, std::string_view where) {
  std::set<std::string_view> names;
  for (const auto& candidate : grid.candidates) {
    if (names.insert(candidate.name).second) continue;
    fail_at(where, "two candidates are alike: {}; give it a weight instead", candidate.name);
  }
}

}  // namespace

ParameterGrid grid_from_toml(std::string_view text, std::string_view file_name) {
  const auto root = data::internal::node_from_toml(text, file_name);
  ParameterGrid grid;
  std::vector<Axis> axes;
  const Node* weights = nullptr;
  std::string place = root.where;
  const Node* singles = nullptr;
  for (const auto& [key, node] : table_of(root, "a grid")) {
    if (key == "values") {
      axes = axes_of(node);
      place = node.where;
    } else if (key == "weights") {
      weights = &node;
    } else if (key == "candidate") {
      singles = &node;
    } else if (key == "zero_model" && std::holds_alternative<bool>(node.value)) {
      grid.zero_model = std::get<bool>(node.value);
    } else {
      fail_at(node.where,
              "a grid has [values], [weights], [[candidate]] and zero_model = true or false, no "
              "{}",
              key);
    }
  }
  if (weights != nullptr) weigh(axes, *weights);
  add_product(grid, axes, place);
  if (singles != nullptr) {
    for (const auto& single : array_of(*singles, "write [[candidate]]")) add_single(grid, single);
  }
  if (grid.candidates.empty()) {
    fail_at(root.where, "the grid is empty: give [values] with lists, or a [[candidate]]");
  }
  check_distinct(grid, place);
  return grid;
}

}  // namespace tacet::choose
