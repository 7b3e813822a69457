#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/data/schema/schema.h"

/// TOML and JSON schemas reach the parser in this common form, so that no other file depends on
/// either library.
namespace tacet::data::internal {

struct Node;
struct NodeEntry;
using NodeArray = std::vector<Node>;
using NodeTable = std::vector<NodeEntry>;

struct Node {
  std::variant<bool, std::int64_t, double, std::string, NodeArray, NodeTable> value;
  std::string where;  ///< `file:line:column`, or a path of keys for JSON
};

struct NodeEntry {
  std::string key;
  Node node;
};

[[nodiscard]] Node node_from_toml(std::string_view text, std::string_view file_name);
[[nodiscard]] Node node_from_json(const nlohmann::json& json, const std::string& path);

/// Checks keys, types and values. Every error is a DataError that begins with the node's place.
[[nodiscard]] Schema schema_from_node(const Node& root);

// The checks of Schema::validate, separately, so that the parser can name the place of each part.
// The largest number of bits of hashed and text columns, of ids and of crossed columns.
inline constexpr int max_bits = 30;
/// Ids that count of one record.
inline constexpr std::int64_t max_ids = 1024;

void check_bounds(double lower, double upper, std::string_view what, std::string_view where);
void check_numeric(const NumericColumn& rule, const std::string& name, std::string_view where);
void check_column(const Column& column, std::string_view where);
/// That the constant's value is above 0 and at most 1.
void check_constant(const Schema& schema, std::string_view where);
void check_features(const UniformFeatures& features, std::string_view where);
void check_target(const Target& target, std::string_view where);
void check_format(const FileFormat& format, std::string_view where);
void check_cost(const SchemaCost& cost, std::string_view where);
/// Checks that the events of a cost prove its statement: nobody may state less than that.
void check_events(const SchemaCost& cost, std::string_view where);
/// That a schema fitted for one privacy unit cannot serve another one.
[[nodiscard]] std::string other_unit(std::string_view fitted, std::string_view used);
[[noreturn]] void fail_at(std::string_view where, std::string_view message);
template <typename First, typename... Rest>
[[noreturn]] void fail_at(std::string_view where, fmt::format_string<First, Rest...> text,
                          First&& first, Rest&&... rest) {
  fail_at(where, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}

}  // namespace tacet::data::internal
