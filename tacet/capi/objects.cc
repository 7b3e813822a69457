#include "tacet/capi/objects.h"

#include <utility>

namespace tacet::capi::internal {

run::Table TableObject::view() const {
  run::Table table;
  for (const auto& [name, column] : columns) {
    table.names.push_back(name);
    if (const auto* numbers = std::get_if<0>(&column)) {
      table.columns.emplace_back(std::span<const double>(*numbers));
    } else {
      table.columns.emplace_back(std::span<const std::string>(std::get<1>(column)));
    }
  }
  return table;
}

Objects& Objects::all() {
  static Objects objects;
  return objects;
}

std::uint64_t Objects::add(std::shared_ptr<Object> object) {
  const std::lock_guard lock(mutex_);
  objects_.emplace(++last_, std::move(object));
  return last_;
}

void Objects::remove(std::uint64_t number) {
  std::shared_ptr<Object> last;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(number);
  if (found == objects_.end()) throw base::UsageError("{} is the number of no object", number);
  last = std::move(found->second);
  objects_.erase(found);
}

std::shared_ptr<Object> Objects::find(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(number);
  return found == objects_.end() ? nullptr : found->second;
}

}  // namespace tacet::capi::internal
