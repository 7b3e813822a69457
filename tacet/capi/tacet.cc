#include "tacet/capi/tacet.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/api/release.h"
#include "tacet/base/version.h"
#include "tacet/capi/calls.h"
#include "tacet/capi/objects.h"

namespace tacet::capi {
namespace {

using internal::BudgetObject;
using internal::guarded;
using internal::hand_out;
using internal::make;
using internal::ModelObject;
using internal::Objects;
using internal::OptionsObject;
using internal::ReleaseObject;
using internal::SchemaObject;
using internal::TableObject;
using internal::text_of;
using internal::wanted;

constexpr std::size_t max_numbers = std::size_t{1} << 40;

template <typename T>
std::span<T> numbers(T* values, std::size_t count, const char* what) {
  if (count > max_numbers) throw base::UsageError("{}: {} numbers are too many", what, count);
  if (count > 0) static_cast<void>(wanted(values, what));
  return {values, count};
}

std::size_t product(std::size_t rows, std::size_t columns) {
  std::size_t size = 0;
  if (columns == 0 || __builtin_mul_overflow(rows, columns, &size)) {
    throw base::UsageError("a matrix of {} rows and {} columns", rows, columns);
  }
  return size;
}

privacy::Adjacency adjacency_of(int number) {
  switch (number) {
    case TACET_ADD_REMOVE:
      return privacy::Adjacency::add_remove;
    case TACET_ZERO_OUT:
      return privacy::Adjacency::zero_out;
    case TACET_REPLACE_ONE:
      return privacy::Adjacency::replace_one;
    default:
      throw base::UsageError("{} is no adjacency: TACET_ADD_REMOVE, _ZERO_OUT, _REPLACE_ONE",
                             number);
  }
}

void train(std::uint64_t schema, std::uint64_t options, std::uint64_t budget, const run::Rows& rows,
           std::uint64_t* model) {
  static_cast<void>(wanted(model, "the place of the result"));
  const auto described = Objects::all().get<SchemaObject>(schema);
  const auto chosen = Objects::all().get<OptionsObject>(options);
  const auto payer = budget == 0 ? nullptr : Objects::all().get<BudgetObject>(budget);
  choose::Request request(choose::usual_for_method);
  std::optional<api::Random> random;
  api::TrainContext context;
  internal::Watch watch;
  std::unique_lock turn(chosen->turn);
  watch = chosen->watch;
  request = chosen->request;
  random = chosen->random;
  if (random) {
    context.random = &*random;  // one run at a time: the lock is held as long as the training lasts
  } else {
    turn.unlock();
  }
  if (payer) context.budget = &payer->budget;
  context.supervision.progress = &watch;
  make<ModelObject>(model, api::train(described->schema, rows, request, context));
}

void predict(std::uint64_t model, const run::Rows& rows, std::span<double> out) {
  const auto asked = Objects::all().get<ModelObject>(model);
  const auto predictions = asked->model.predict(rows);
  if (predictions.size() != out.size()) {
    throw base::UsageError("room for {} predictions of {} records", out.size(), predictions.size());
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto& found = predictions[k];
    out[k] = found.class_index < 0 ? found.value : static_cast<double>(found.class_index);
  }
}

/// Adds a column with a new name and the table's length.
TableObject::Column& new_column(TableObject& table, std::string_view name, std::size_t count) {
  if (count != table.rows) {
    throw base::UsageError("{} values for a table of {} rows", count, table.rows);
  }
  const auto [place, is_new] = table.columns.try_emplace(std::string(name));
  if (!is_new) throw base::UsageError("the table has a column of this name");
  return place->second;
}

}  // namespace
}  // namespace tacet::capi

using namespace tacet;        // NOLINT(google-build-using-namespace)
using namespace tacet::capi;  // NOLINT(google-build-using-namespace)

int tacet_schema_parse(const char* text, const char* name, tacet_schema* schema) {
  return guarded([&] {
    make<SchemaObject>(schema,
                       api::Schema::from_toml(text_of(text, "text"), text_of(name, "name")));
  });
}

int tacet_schema_load(const char* path, tacet_schema* schema) {
  return guarded(
      [&] { make<SchemaObject>(schema, api::Schema::load(std::string(text_of(path, "path")))); });
}

int tacet_options_new(tacet_options* options) {
  return guarded([&] { make<OptionsObject>(options); });
}

int tacet_options_set(tacet_options options, const char* name, const char* value) {
  return guarded([&] {
    const auto object = Objects::all().get<OptionsObject>(options);
    const std::lock_guard turn(object->turn);
    object->request.set(text_of(name, "name"), std::string(text_of(value, "value")));
  });
}

int tacet_options_loss(tacet_options options, tacet_loss value, tacet_loss slope, void* context,
                       double largest_slope, double largest_curvature) {
  return guarded([&] {
    const auto object = Objects::all().get<OptionsObject>(options);
    const auto of = [context](tacet_loss function, const char* what) {
      if (function == nullptr) throw base::UsageError("{} is a null pointer", what);
      return [function, context](double u, double y) { return function(u, y, context); };
    };
    const std::lock_guard turn(object->turn);
    object->request.minimise(of(value, "value"), of(slope, "slope"), largest_slope,
                             largest_curvature);
  });
}

int tacet_options_seed(tacet_options options, uint64_t seed) {
  return guarded([&] {
    const auto object = Objects::all().get<OptionsObject>(options);
    const std::lock_guard turn(object->turn);
    object->random = api::Random::seeded(seed);
  });
}

int tacet_options_progress(tacet_options options, tacet_progress progress, void* context) {
  return guarded([&] {
    const auto object = Objects::all().get<OptionsObject>(options);
    const std::lock_guard turn(object->turn);
    object->watch = internal::Watch(progress, context);
  });
}

int tacet_budget_new(double epsilon, double delta, int adjacency, tacet_budget* budget) {
  return guarded([&] {
    make<BudgetObject>(budget, privacy::Guarantee{epsilon, delta, adjacency_of(adjacency)});
  });
}

int tacet_budget_spent(tacet_budget budget, double* epsilon, double* delta) {
  return guarded([&] {
    const auto spent = Objects::all().get<BudgetObject>(budget)->budget.spent();
    auto& first = wanted(epsilon, "epsilon");
    wanted(delta, "delta") = spent.delta;
    first = spent.epsilon;
  });
}

int tacet_table_new(size_t rows, tacet_table* table) {
  return guarded([&] { make<TableObject>(table, rows); });
}

int tacet_table_numbers(tacet_table table, const char* name, const double* values, size_t count) {
  return guarded([&] {
    const auto object = Objects::all().get<TableObject>(table);
    const auto given = numbers(values, count, "values");
    const std::lock_guard turn(object->turn);
    if (count != object->rows) static_cast<void>(new_column(*object, "", count));
    std::vector<double> copy(given.begin(), given.end());
    new_column(*object, text_of(name, "name"), count) = std::move(copy);
  });
}

int tacet_table_texts(tacet_table table, const char* name, const char* const* values,
                      size_t count) {
  return guarded([&] {
    const auto object = Objects::all().get<TableObject>(table);
    const auto given = numbers(values, count, "values");
    const std::lock_guard turn(object->turn);
    if (count != object->rows) static_cast<void>(new_column(*object, "", count));
    std::vector<std::string> copy;
    for (const char* text : given) copy.emplace_back(text_of(text, "a text"));
    new_column(*object, text_of(name, "name"), count) = std::move(copy);
  });
}

int tacet_train_table(tacet_schema schema, tacet_options options, tacet_budget budget,
                      tacet_table table, tacet_model* model) {
  return guarded([&] {
    const auto object = Objects::all().get<TableObject>(table);
    const std::lock_guard turn(object->turn);
    train(schema, options, budget, object->view(), model);
  });
}

int tacet_train_matrix(tacet_schema schema, tacet_options options, tacet_budget budget,
                       const double* values, size_t rows, size_t columns, const double* labels,
                       tacet_model* model) {
  return guarded([&] {
    const run::Matrix matrix{numbers(values, product(rows, columns), "values"),
                             static_cast<std::int64_t>(columns), numbers(labels, rows, "labels")};
    train(schema, options, budget, matrix, model);
  });
}

int tacet_release_histogram(tacet_budget budget, const int64_t* bin_of, size_t count,
                            double epsilon, double delta, int adjacency, double* counts,
                            size_t bins, tacet_release* release) {
  return guarded([&] {
    const auto out = numbers(counts, bins, "counts");
    const privacy::Guarantee asked{epsilon, delta, adjacency_of(adjacency)};
    const auto payer = budget == 0 ? nullptr : Objects::all().get<BudgetObject>(budget);
    optimize::Histogram histogram(static_cast<std::int64_t>(bins));
    for (const std::int64_t bin : numbers(bin_of, count, "bin_of")) histogram.add(bin);
    const auto noise = delta > 0 ? api::Noise::discrete_gaussian : api::Noise::discrete_laplace;
    auto released = api::release(std::move(histogram), asked,
                                 {.noise = noise, .budget = payer ? &payer->budget : nullptr});
    if (release != nullptr) make<ReleaseObject>(release, std::move(released.receipt));
    std::ranges::copy(released.values, out.begin());
  });
}

int tacet_model_load(const char* path, tacet_model* model) {
  return guarded(
      [&] { make<ModelObject>(model, api::Model::load(std::string(text_of(path, "path")))); });
}

int tacet_model_save(tacet_model model, const char* path, int overwrite) {
  return guarded([&] {
    const auto object = Objects::all().get<ModelObject>(model);
    object->model.save(std::string(text_of(path, "path")),
                       overwrite != 0 ? api::Existing::overwrite : api::Existing::refuse);
  });
}

int tacet_predict_table(tacet_model model, tacet_table table, double* out, size_t count) {
  return guarded([&] {
    const auto object = Objects::all().get<TableObject>(table);
    const std::lock_guard turn(object->turn);
    predict(model, object->view(), numbers(out, count, "out"));
  });
}

int tacet_predict_matrix(tacet_model model, const double* values, size_t rows, size_t columns,
                         double* out, size_t count) {
  return guarded([&] {
    const run::Matrix matrix{numbers(values, product(rows, columns), "values"),
                             static_cast<std::int64_t>(columns)};
    predict(model, matrix, numbers(out, count, "out"));
  });
}

int tacet_model_class(tacet_model model, size_t index, char* out, size_t size, size_t* needed) {
  return guarded([&] {
    const auto object = Objects::all().get<ModelObject>(model);
    const auto classes = object->model.classes();
    if (index >= classes.size()) {
      throw base::UsageError("class {} of a model of {}", index, classes.size());
    }
    hand_out(classes[index], out, size, needed);
  });
}

int tacet_model_receipt(tacet_model model, char* out, size_t size, size_t* needed) {
  return guarded([&] {
    const auto object = Objects::all().find(model);
    const auto* release = dynamic_cast<const ReleaseObject*>(object.get());
    const auto& receipt = release != nullptr
                              ? release->receipt
                              : Objects::all().get<ModelObject>(model)->model.receipt();
    hand_out(privacy::receipt_to_json(receipt), out, size, needed);
  });
}

int tacet_account(const char* event_json, int adjacency, double delta, double* epsilon) {
  return guarded([&] {
    auto& place = wanted(epsilon, "epsilon");
    const auto event = privacy::event_from_json(text_of(event_json, "event_json"));
    place = accounting::epsilon(event, adjacency_of(adjacency), privacy::Delta(delta));
  });
}

int tacet_free(uint64_t object) {
  return guarded([&] {
    if (object != 0) Objects::all().remove(object);
  });
}

const char* tacet_last_error(void) { return internal::last_error; }

const char* tacet_error_name(int kind) {
  static constexpr const char* names[] = {"ok",     "internal",  "usage",   "data",
                                          "budget", "guarantee", "numeric", "io"};
  if (kind >= 0 && kind < std::ssize(names)) return names[kind];
  return kind == TACET_INTERRUPTED ? "interrupted" : "unknown";
}

const char* tacet_version(void) { return base::version.data(); }
