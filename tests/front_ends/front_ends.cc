// Trains what a file of jobs asks for, as a program does that holds its records: front_ends JOBS.
// A job is lines of a word and a value (schema, data, seed, adjacency, grid, set NAME VALUE), and
// ends with `output FILE`.

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/tacet.h"

namespace {

using namespace tacet;

struct Records {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  explicit Records(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> fields;
      std::istringstream parts(line);
      for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
      if (names.empty()) {
        names = fields;
        columns.resize(names.size());
        continue;
      }
      for (std::size_t k = 0; k < fields.size(); ++k) columns[k].push_back(fields[k]);
    }
  }
  [[nodiscard]] run::Table table() const {
    run::Table table{.names = names};
    for (const auto& column : columns) table.columns.emplace_back(std::span(column));
    return table;
  }
};

struct Job {
  std::string schema;
  std::string data;
  std::string adjacency;
  std::string grid;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> values;

  [[nodiscard]] choose::Request request() const {
    choose::Request request = adjacency.empty()
                                  ? choose::Request(choose::usual_for_method)
                                  : choose::Request(privacy::parse_adjacency(adjacency));
    for (const auto& [name, value] : values) request.set(name, value);
    if (grid.empty()) return request;
    std::ostringstream text;
    text << std::ifstream(grid).rdbuf();
    return request.tune({.grid = text.str(), .name = grid});
  }
  void train(const std::string& output) const {
    const auto random = api::Random::seeded(seed);
    const Records records(data);
    api::train(api::Schema::load(schema), records.table(), request(), {.random = &random})
        .save(output);
  }
};

}  // namespace

int main(int /*count*/, char** words) {
  std::ifstream jobs(words[1]);
  Job job;
  for (std::string word; jobs >> word;) {
    std::string value;
    jobs >> value;
    if (word == "schema") job.schema = value;
    if (word == "data") job.data = value;
    if (word == "adjacency") job.adjacency = value;
    if (word == "grid") job.grid = value;
    if (word == "seed") job.seed = std::stoull(value);
    if (word == "set") {
      std::string text;
      jobs >> text;
      job.values.emplace_back(value, text);
    }
    if (word != "output") continue;
    try {
      job.train(value);
    } catch (const base::Error& error) {
      std::cerr << value << ": " << error.what() << '\n';
      return 1;
    }
    job = {};
  }
}
