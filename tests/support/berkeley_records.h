#pragma once

#include <cstddef>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/run/train.h"
#include "tests/support/data_sets.h"

/// For tests: the table of the tutorial in memory, and a schema of it that cost something.
namespace tacet::run::train_test {

/// The tutorial's table as a program would hold it.
struct InMemory {
  data::Schema schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  InMemory() {
    std::ifstream file(test::source_file("data/berkeley1973.csv"));
    std::string line;
    while (std::getline(file, line)) {
      std::vector<std::string> fields;
      std::istringstream parts(line);
      for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
      if (names.empty()) {
        names = fields;
        columns.resize(names.size());
        continue;
      }
      for (std::size_t j = 0; j < fields.size(); ++j) columns[j].push_back(fields[j]);
    }
  }
  [[nodiscard]] Table table() const {
    Table table{.names = names};
    for (const auto& column : columns) table.columns.emplace_back(std::span(column));
    return table;
  }
  [[nodiscard]] Records records(std::size_t& row) const {
    return {names, [this, &row](std::span<std::string> fields) {
              if (row == columns[0].size()) return false;
              for (std::size_t j = 0; j < fields.size(); ++j) fields[j] = columns[j][row];
              ++row;
              return true;
            }};
  }
};

inline choose::Request quick() {
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", 1).set("delta", 1e-5).set("steps", 20);
  return request;
}

/// A schema that was fitted to private records, for this.
inline data::Schema fitted(data::Schema schema) {
  const privacy::Guarantee cost{0.5, 0, privacy::Adjacency::add_remove};
  schema.cost = data::SchemaCost{.id = "0123456789abcdef",
                                 .unit = "record",
                                 .events = privacy::PureDp{0.5, cost.adjacency},
                                 .guarantee = cost,
                                 .prg_slack = 1e-20,
                                 .unprotected_reason = {}};
  return schema;
}

}  // namespace tacet::run::train_test
