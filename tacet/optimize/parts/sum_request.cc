#include "tacet/optimize/parts/sum_request.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/base/sha256.h"
#include "tacet/base/version.h"
#include "tacet/optimize/parts/bytes.h"

namespace tacet::optimize {
namespace {

using nlohmann::json;

constexpr std::string_view request_mark = "tacet sum request 3\n";
constexpr auto rewriting_names = base::names<Rewriting>({{Rewriting::standards, "standards"},
                                                         {Rewriting::columns, "columns"},
                                                         {Rewriting::curves, "curves"}});

// JSON has no infinity: what is not finite is left out, and absent is what it was.
void put_finite(json& to, const char* name, double value) {
  if (std::isfinite(value)) to[name] = value;
}

void put_loss(json& to, const model::Loss& loss) {
  if (model::is_custom(loss)) {
    throw base::UsageError(
        "a custom loss is code, which records in parts do not know; name a loss");
  }
  to["loss"] = model::loss_name(loss);
  put_finite(to, "loss_parameter", model::loss_parameter(loss));
  put_finite(to, "loss_width", model::loss_width(loss));
}

json to_json(const RowsTask& task) {
  return {{"kind", "rows"},
          {"share_bits", task.share_bits},
          {"share", task.share},
          {"hashes", task.hashes}};
}

json to_json(const GradientTask& task) {
  json out{{"kind", "gradient"},
           {"outputs", task.outputs},
           {"clipping_norm", task.limit.clipping_norm},
           {"norm_bits", task.limit.norm_bits},
           {"max_records_per_unit", task.limit.max_records_per_unit}};
  put_loss(out, task.loss);
  put_finite(out, "slope_bound", task.limit.slope_bound);
  if (!task.limit.class_weights.uniform()) {
    out["class_weights"] = task.limit.class_weights.of_classes();
  }
  return out;
}

/// What is asked about columns does not depend on curves.
json columns_of(data::Schema schema) {
  schema.curves.reset();
  return data::schema_to_json(schema);
}

json to_json(const MomentTask& task) {
  return {{"kind", "moments"},
          {"schema", columns_of(task.schema)},
          {"norm_bits", task.norm_bits},
          {"categories", task.moments.categories},
          {"target", task.moments.target},
          {"records_per_unit", task.moments.records_per_unit}};
}

json to_json(const PresenceTask& task) {
  return {{"kind", "presence"}, {"schema", data::schema_to_json(task.schema)}};
}

json to_json(const GramTask& task) {
  json out{{"kind", "gram"}, {"outputs", task.outputs}};
  if (task.numbers) out["numbers"] = columns_of(*task.numbers);
  return out;
}

/// Curves without their map.
json to_json(const data::Curves& curves) {
  return {{"share", curves.share},
          {"directions", curves.directions},
          {"frequencies", curves.frequencies},
          {"seed", curves.seed},
          {"target_mean", curves.target.mean},
          {"target_standard_deviation", curves.target.stddev},
          {"whitening", curves.whitening}};
}

data::Curves curves_from(const json& from) {
  data::Curves curves;
  curves.share = from.at("share").get<double>();
  curves.directions = from.at("directions").get<std::int64_t>();
  curves.frequencies = from.at("frequencies").get<std::int64_t>();
  curves.seed = from.at("seed").get<std::int64_t>();
  curves.target = {.mean = from.at("target_mean").get<double>(),
                   .stddev = from.at("target_standard_deviation").get<double>()};
  curves.whitening = from.at("whitening").get<std::vector<double>>();
  return curves;
}

/// Packed rows hold numbers as positions: a part has to hold them as one table would.
void put_storage(json& to, const data::Schema& schema) {
  if (schema.packs_numbers) to["packed"] = true;
}

json to_json(const ReleasedSchema& released) {
  json out{{"schema", columns_of(released.schema)}, {"how", rewriting_names.of(released.how)}};
  put_storage(out, released.schema);
  if (released.schema.curves) out["curves"] = to_json(*released.schema.curves);
  return out;
}

json to_json(const PredictionTask& task) {
  json out{{"kind", "predictions"},
           {"groups", task.cells.shape.groups},
           {"cells", task.cells.shape.cells},
           {"scores", task.cells.shape.scores},
           {"centred", task.cells.shape.centred},
           {"may_lack", task.cells.shape.may_lack},
           {"norm_bits", task.cells.norm_bits},
           {"score_edges", task.cells.score_edges},
           {"matrix", task.cells.matrix},
           {"threshold", task.cells.threshold}};
  put_loss(out, task.loss);
  if (task.cells.loss_cap) out["loss_cap"] = *task.cells.loss_cap;
  if (task.cells.groups) out["by"] = task.cells.groups->column();
  return out;
}

model::Loss loss_from(const json& from) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return model::make_loss(from.at("loss").get<std::string>(), from.value("loss_parameter", none),
                          from.value("loss_width", none));
}

PredictionTask predictions_from(const json& from, const data::Schema& reading) {
  PredictionTask task{.loss = loss_from(from), .cells = {}};
  auto& cells = task.cells;
  cells.shape = {.groups = from.at("groups").get<std::int64_t>(),
                 .cells = from.at("cells").get<std::int64_t>(),
                 .scores = from.at("scores").get<std::int64_t>(),
                 .centred = from.at("centred").get<bool>(),
                 .may_lack = from.at("may_lack").get<bool>()};
  cells.norm_bits = from.at("norm_bits").get<int>();
  cells.score_edges = from.at("score_edges").get<std::vector<double>>();
  cells.matrix = from.at("matrix").get<bool>();
  cells.threshold = from.at("threshold").get<double>();
  if (from.contains("loss_cap")) cells.loss_cap = from.at("loss_cap").get<double>();
  if (from.contains("by")) cells.groups.emplace(reading, from.at("by").get<std::string>());
  return task;
}

GradientTask gradient_from(const json& from) {
  GradientTask task{.loss = loss_from(from), .outputs = from.at("outputs").get<std::int64_t>()};
  task.limit.clipping_norm = from.at("clipping_norm").get<double>();
  task.limit.norm_bits = from.at("norm_bits").get<int>();
  task.limit.max_records_per_unit = from.at("max_records_per_unit").get<std::int64_t>();
  task.limit.slope_bound = from.value("slope_bound", HUGE_VAL);
  if (from.contains("class_weights")) {
    task.limit.class_weights =
        model::ClassWeights(from.at("class_weights").get<std::vector<double>>());
  }
  return task;
}

RowsTask rows_from(const json& from) {
  const RowsTask task{.share_bits = from.at("share_bits").get<int>(),
                      .share = from.at("share").get<std::int64_t>(),
                      .hashes = from.at("hashes").get<std::int64_t>()};
  const bool fits = task.share_bits >= 0 && task.share_bits <= max_share_bits && task.share >= 0 &&
                    task.share >> task.share_bits == 0 && task.hashes >= 0 &&
                    task.hashes <= max_unit_hashes;
  if (!fits) throw base::DataError("the request asks for units in a way that there is not");
  return task;
}

SumTask task_from(const json& from, const data::Schema& reading) {
  const auto kind = from.at("kind").get<std::string>();
  if (kind == "rows") return rows_from(from);
  if (kind == "gradient") return gradient_from(from);
  if (kind == "gram") {
    GramTask task{from.at("outputs").get<std::int64_t>()};
    if (from.contains("numbers")) task.numbers = data::schema_from_json(from.at("numbers"));
    return task;
  }
  if (kind == "predictions") return predictions_from(from, reading);
  if (kind == "presence") return PresenceTask{data::schema_from_json(from.at("schema"))};
  if (kind == "moments") {
    return MomentTask{data::schema_from_json(from.at("schema")),
                      from.at("norm_bits").get<int>(),
                      {.categories = from.at("categories").get<bool>(),
                       .target = from.at("target").get<bool>(),
                       .records_per_unit = from.at("records_per_unit").get<std::int64_t>()}};
  }
  throw base::DataError("there are no sums of kind '{}'", kind);
}

Rewriting rewriting_from(const json& name) {
  const auto how = rewriting_names.find(name.get<std::string>());
  if (!how) throw base::DataError("a request rewrites records by standards, columns or curves");
  return *how;
}

ReleasedSchema released_from(const json& from) {
  ReleasedSchema released{data::schema_from_json(from.at("schema")),
                          rewriting_from(from.at("how"))};
  released.schema.packs_numbers = from.value("packed", false);
  if (from.contains("curves")) released.schema.curves = curves_from(from.at("curves"));
  if (released.schema.curves.has_value() != (released.how == Rewriting::curves)) {
    throw base::DataError("a request rewrites records by curves where its schema has some");
  }
  return released;
}

}  // namespace

std::string settings_to_text(const SumSettings& settings) {
  json out{{"version", base::version},
           {"reading", data::schema_to_json(settings.reading)},
           {"task", std::visit([](const auto& task) { return to_json(task); }, settings.task)}};
  // A schema's file has no word for rows that are scaled after a release alone.
  if (settings.reading.row_scaling == data::RowScaling::none) out["unscaled"] = true;
  put_storage(out, settings.reading);
  if (settings.released) out["released"] = to_json(*settings.released);
  return out.dump();
}

SumSettings settings_from_text(std::string_view text) {
  try {
    const auto from = json::parse(text);
    const auto version = from.at("version").get<std::string>();
    if (version != base::version) {
      throw base::DataError("the request comes from tacet {}, and this is tacet {}", version,
                            base::version);
    }
    auto reading = data::schema_from_json(from.at("reading"));
    if (from.value("unscaled", false)) reading.row_scaling = data::RowScaling::none;
    reading.packs_numbers = from.value("packed", false);
    auto task = task_from(from.at("task"), reading);
    SumSettings settings{
        .reading = std::move(reading), .released = std::nullopt, .task = std::move(task)};
    if (from.contains("released")) settings.released = released_from(from.at("released"));
    return settings;
  } catch (const json::exception& error) {
    throw base::DataError("the settings of a request are no such text: {}", error.what());
  }
}

std::string SumRequest::to_bytes() const {
  internal::ByteWriter out;
  out.text(request_mark);
  out.number(static_cast<std::uint8_t>(basis == Basis::released ? 1 : 0));
  out.sized_text(settings);
  out.numbers(std::span<const double>(weights));
  return std::move(out).take();
}

SumRequest SumRequest::from_bytes(std::string_view bytes) {
  internal::ByteReader in(bytes, "request for sums");
  in.expect(request_mark);
  SumRequest request;
  request.basis = in.number<std::uint8_t>() == 0 ? Basis::stated : Basis::released;
  request.settings = in.sized_text();
  request.weights = in.numbers<double>();
  in.expect_end();
  return request;
}

std::string digest_of(std::string_view request_bytes) {
  base::Sha256 sum;
  sum.add(request_bytes);
  return sum.digest();
}

}  // namespace tacet::optimize
