#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/accounting/memory_budget.h"
#include "tacet/api/model.h"
#include "tacet/base/error.h"
#include "tacet/capi/tacet.h"

/// The objects that C programs refer to by number.
namespace tacet::capi::internal {

/// The object behind a number. One call at a time uses it.
struct Object {
  virtual ~Object() = default;
  std::mutex turn;
};

struct SchemaObject : Object {
  static constexpr const char* kind = "schema";
  explicit SchemaObject(api::Schema given) : schema(std::move(given)) {}
  const api::Schema schema;
};

/// Calls a C program between steps, and lets it cancel.
class Watch : public base::Progress {
 public:
  explicit Watch(tacet_progress told = nullptr, void* context = nullptr)
      : told_(told), context_(context) {}
  void advance(std::string_view phase, std::int64_t done, std::int64_t total) override {
    if (told_ != nullptr && told_(std::string(phase).c_str(), done, total, context_) != 0) {
      throw base::Interrupted("cancelled by the program's progress function");
    }
  }

 private:
  tacet_progress told_;
  void* context_;
};

struct OptionsObject : Object {
  static constexpr const char* kind = "set of options";
  choose::Request request{choose::usual_for_method};
  std::optional<api::Random> random;
  Watch watch;
};

struct BudgetObject : Object {
  static constexpr const char* kind = "budget";
  explicit BudgetObject(const privacy::Guarantee& cap) : budget(cap) {}
  accounting::MemoryBudget budget;
};

/// Columns and their contents.
struct TableObject : Object {
  static constexpr const char* kind = "table";
  using Column = std::variant<std::vector<double>, std::vector<std::string>>;
  explicit TableObject(std::size_t count) : rows(count) {}
  [[nodiscard]] run::Table view() const;
  const std::size_t rows;
  std::map<std::string, Column> columns;
};

struct ModelObject : Object {
  static constexpr const char* kind = "model";
  explicit ModelObject(api::Model given) : model(std::move(given)) {}
  const api::Model model;
};

struct ReleaseObject : Object {
  static constexpr const char* kind = "release";
  explicit ReleaseObject(privacy::Receipt given) : receipt(std::move(given)) {}
  const privacy::Receipt receipt;
};

/// All objects of the process. A number is never used again.
class Objects {
 public:
  [[nodiscard]] static Objects& all();

  std::uint64_t add(std::shared_ptr<Object> object);
  /// UsageError if no object has this number (any more).
  void remove(std::uint64_t number);
  /// UsageError if no object has this number, or if it is of another kind.
  template <typename Kind>
  [[nodiscard]] std::shared_ptr<Kind> get(std::uint64_t number) {
    auto found = std::dynamic_pointer_cast<Kind>(find(number));
    if (!found) throw base::UsageError("{} is the number of no {}", number, Kind::kind);
    return found;
  }

  /// Null if no object has this number.
  [[nodiscard]] std::shared_ptr<Object> find(std::uint64_t number);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Object>> objects_;
  std::uint64_t last_ = 0;
};

}  // namespace tacet::capi::internal
