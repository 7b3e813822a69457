#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/optimize/parts/part.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tacet/optimize/parts/seal.h"

namespace tacet::test {

/// The records as so many parts: record i in the part `part_of[i]`. Units are numbered anew in
/// each.
inline std::vector<optimize::PartRecords> divided(const data::Dataset& records,
                                                  std::span<const std::int64_t> part_of,
                                                  std::int64_t parts) {
  std::vector<optimize::PartRecords> out;
  for (std::int64_t k = 0; k < parts; ++k) {
    out.push_back({data::Dataset(records.shape())});
    if (records.has_units()) out.back().records.declare_units();
  }
  std::vector<std::map<std::int64_t, std::int64_t>> units(static_cast<std::size_t>(parts));
  for (std::int64_t i = 0; i < records.rows(); ++i) {
    const auto part = static_cast<std::size_t>(part_of[static_cast<std::size_t>(i)]);
    std::int64_t unit = 0;
    if (records.has_units()) {
      unit = records.unit_of(i);
      const auto place = std::ssize(units[part]);
      if (unit >= 0) {
        const auto [known, is_new] = units[part].try_emplace(unit, place);
        if (is_new) out[part].units.push_back("unit " + std::to_string(unit));
        unit = known->second;
      }
    }
    out[part].records.append(records, i, unit);
  }
  return out;
}

/// At random; of records with units, all of a unit in one part.
inline std::vector<optimize::PartRecords> divided_at_random(const data::Dataset& records,
                                                            std::int64_t parts,
                                                            std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::map<std::int64_t, std::int64_t> part_of_unit;
  std::vector<std::int64_t> part_of;
  for (std::int64_t i = 0; i < records.rows(); ++i) {
    const auto drawn = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(parts));
    part_of.push_back(records.has_units()
                          ? part_of_unit.try_emplace(records.unit_of(i), drawn).first->second
                          : drawn);
  }
  return divided(records, part_of, parts);
}

/// Parts of this process, which are asked through bytes and answer with sealed ones.
class PartsInProcess {
 public:
  PartsInProcess(std::vector<optimize::PartRecords> parts, data::Schema reading, int threads = 1)
      : reading_(std::move(reading)), pool_(threads) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      parts_.push_back(std::make_unique<optimize::Part>(
          optimize::PartPlace{static_cast<std::int64_t>(k), "key of a test"}, std::move(parts[k]),
          reading_, pool_, maps_));
    }
  }

  /// What happens to all answers of a round on their way, before they are sealed.
  std::function<void(std::vector<std::string>& answers)> on_the_way = nullptr;

  [[nodiscard]] optimize::RemoteRun run() {
    return {.parts = std::ssize(parts_),
            .reading = reading_,
            .ask = [this](const std::string& request) { return ask(request); },
            .key = &key_};
  }

 private:
  [[nodiscard]] std::vector<std::string> ask(const std::string& request) {
    std::vector<std::string> answers;
    for (const auto& part : parts_) answers.push_back(part->answer(request));
    if (on_the_way) on_the_way(answers);
    for (auto& answer : answers) answer = optimize::seal(key_.public_key(), answer);
    return answers;
  }

  data::Schema reading_;
  base::ThreadPool pool_;
  optimize::CurveMaps maps_;
  optimize::SealKey key_;
  std::vector<std::unique_ptr<optimize::Part>> parts_;
};

}  // namespace tacet::test
