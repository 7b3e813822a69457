// A model from a CSV file, with its guarantee:
//
//     train_csv data/berkeley1973.csv data/schemas/berkeley1973.toml [model.json]
#include <fstream>
#include <iostream>
#include <sstream>

#include "tacet/tacet.h"

using namespace tacet;

/// The fields of a line: enough for a file without quotes. For others use a reader of CSV, such as
/// Arrow's (api::arrow_records takes what it reads).
static bool read_fields(std::istream& file, std::span<std::string> fields) {
  std::string line;
  if (!std::getline(file, line)) return false;
  std::istringstream text(line);
  for (auto& field : fields) std::getline(text, field, ',');
  return true;
}
int main(int count, char** words) {
  if (count < 3) return std::cerr << "train_csv RECORDS.csv SCHEMA.toml [MODEL.json]\n", 2;
  try {
    const auto schema = api::Schema::load(words[2]);
    std::ifstream file(words[1]);
    run::Records records{.names = std::vector<std::string>(3)};  // the file has three columns
    if (!read_fields(file, records.names)) throw base::IoError("cannot read '{}'", words[1]);
    records.next = [&file](std::span<std::string> fields) { return read_fields(file, fields); };
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
