// A model from a CSV file, with its guarantee:
//
//     train_csv data/berkeley1973.csv data/schemas/berkeley1973.toml [model.json]
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tacet/tacet.h"

using namespace tacet;

/// The fields of a line: enough for a file without quotes and carriage returns. For others use a
/// reader of CSV, such as Arrow's (api::arrow_records takes what it reads).
static void split(const std::string& line, std::span<std::string> fields) {
  std::istringstream text(line);
  for (auto& field : fields) std::getline(text, field, ',');
}

int main(int count, char** words) {
  if (count < 3) return std::cerr << "train_csv RECORDS.csv SCHEMA.toml [MODEL.json]\n", 2;
  try {
    const auto schema = api::Schema::load(words[2]);
    std::ifstream file(words[1]);
    std::string line;
    if (!std::getline(file, line)) throw base::IoError("cannot read '{}'", words[1]);
    run::Records records;
    records.names.resize(static_cast<std::size_t>(std::ranges::count(line, ',')) + 1);
    split(line, records.names);
    records.next = [&](std::span<std::string> fields) {
      if (!std::getline(file, line)) return false;
      split(line, fields);
      return true;
    };
    choose::Request request(privacy::Adjacency::add_remove);
    request.set("epsilon", 1).set("delta", 1e-6);
    const auto model = api::train(schema, records, request);
    std::cout << privacy::statement(model.receipt()) << '\n';
    if (count > 3) model.save(words[3], api::Existing::overwrite);
  } catch (const base::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
