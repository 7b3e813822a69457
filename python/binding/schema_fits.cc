#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "python/binding/tables.h"
#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/schema_draft.h"
#include "tacet/data/owner/spelling_words.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/run/schema_fit.h"
#include "tacet/run/spend.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// What is said of records before a schema is found: `tacet schema fit` and `draft`.
struct Said {
  std::string target;
  std::string positive;              ///< the target's label
  std::vector<std::string> classes;  ///< of a target with three or more; else empty
  std::string target_kind;           ///< of a number: number, count or probability
  std::vector<std::string> ignored;
  std::vector<std::string> codes;    ///< columns whose numbers are codes
  std::vector<std::string> numbers;  ///< columns that are none, whatever their names say
  std::vector<std::string> dates;
  std::string unit;
  data::SpellingWords spelling;
  std::optional<std::int64_t> public_row_count;
  std::string separator;        ///< of a file; empty: a comma, or the one that fits a draft
  bool header_declared = true;  ///< somebody vouches for the names in a file's first line

  [[nodiscard]] data::HeaderTrust trust() const {
    return header_declared ? data::HeaderTrust::declared : data::HeaderTrust::guessed;
  }
  [[nodiscard]] std::optional<char> separating() const {
    if (separator.empty()) return std::nullopt;
    if (separator.size() != 1) throw base::UsageError("separator must be one ASCII character");
    return separator.front();
  }
  [[nodiscard]] data::NumberKind number_kind() const {
    if (target_kind.empty() || target_kind == "number") return data::NumberKind::number;
    if (target.empty()) throw base::UsageError("target_kind needs target");
    if (target_kind == "count") return data::NumberKind::count;
    if (target_kind == "probability") return data::NumberKind::probability;
    throw base::UsageError("target_kind must be number, count or probability, got \"{}\"",
                           target_kind);
  }
  /// Names that a file must have, by which its separator is known.
  [[nodiscard]] std::vector<std::string> named() const {
    auto names = ignored;
    for (const auto* list : {&codes, &numbers, &dates}) {
      names.insert(names.end(), list->begin(), list->end());
    }
    if (!target.empty()) names.push_back(target);
    if (!unit.empty()) names.push_back(unit);
    return names;
  }
  [[nodiscard]] data::Schema frame() const {
    data::Schema schema;
    schema.description = "Bounds and categories fitted by private mechanisms; see [cost].";
    schema.format.separator = separating().value_or(',');
    spelling.apply(schema.format);
    schema.missing.insert(schema.missing.end(), spelling.missing.begin(), spelling.missing.end());
    if (!unit.empty()) schema.unit = unit;
    if (public_row_count) data::check_public_row_count("public_row_count", *public_row_count);
    schema.public_row_count = public_row_count;
    if (!positive.empty() && target.empty()) throw base::UsageError("positive needs target");
    if (!positive.empty()) {
      schema.target = data::Target{target, data::BinaryTarget{.positive = {positive}}};
    }
    if (!classes.empty()) {
      if (target.empty()) throw base::UsageError("classes needs target");
      if (!positive.empty()) throw base::UsageError("give positive or classes, not both");
      schema.target = data::Target{target, data::MultiClassTarget{.classes = classes}};
    }
    if (number_kind() == data::NumberKind::probability) {
      schema.target =
          data::Target{target, data::RegressionTarget{.kind = data::NumberKind::probability}};
    }
    return schema;
  }
};

/// How the budget of a fit is divided.
struct Fitting {
  std::int64_t max_records_per_unit = 1;
  double coverage = 0.98;
  std::int64_t max_categories = 50;
  std::int64_t max_hashed = 4096;
};

run::FitRequest request_of(const Said& said, const Fitting& fitting,
                           const privacy::Guarantee& asked) {
  if (!(fitting.coverage > 0 && fitting.coverage < 1)) {
    throw base::UsageError("coverage must lie in (0, 1), got {}", fitting.coverage);
  }
  if (fitting.max_categories < 1) {
    throw base::UsageError("max_categories must be at least 1, got {}", fitting.max_categories);
  }
  if (fitting.max_records_per_unit != 1 && said.unit.empty()) {
    throw base::UsageError("max_records_per_unit needs unit");
  }
  return {.frame = said.frame(),
          .target = said.target,
          .ignored = said.ignored,
          .max_records_per_unit = fitting.max_records_per_unit,
          .coverage = fitting.coverage,
          .max_categories = fitting.max_categories,
          .max_hashed = fitting.max_hashed,
          .asked = asked,
          .codes = said.codes,
          .numbers = said.numbers,
          .dates = said.dates,
          .target_kind = said.number_kind()};
}

using Found = std::pair<data::Schema, std::vector<std::string>>;

/// The schema, and a sentence for its missing target and for each column that the budget was too
/// small for.
Found fit(const nb::object& data, const Said& said, const Fitting& fitting,
          const privacy::Guarantee& asked, const Context& context) {
  const Table table(data);
  table.refuse_unfit(said.dates, said.ignored);
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  auto request = request_of(said, fitting, asked);
  if (!source->secure()) {
    request.frame.description =
        "Bounds and categories fitted with seeded noise, which protects nobody.";
  }
  auto& format = request.frame.format;
  if (!table.file().empty())
    format = data::with_found_separator(table.file(), format, said.named());
  request.data = table.records(format).name;
  auto found = supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto* const cancel = supervision.cancel;
    auto names = table.records(format).open()->names();
    data::check_header(names, request.data, said.trust());
    const auto plan = run::plan_fit(request, std::move(names), *source);
    run::UnwrittenOutput output("a schema in memory");
    run::Fitted fitted;
    run::spend(
        {.command = data::booking_name(plan.cost),
         .data = table.file(),
         .privacy_unit = plan.cost.unit,
         .planned = plan.cost.events,
         .cost = plan.cost.guarantee,
         .unprotected_reason = plan.cost.unprotected_reason},
        table.front(payer, cancel), output,
        [&](ledger::Fingerprint* fingerprint) {
          return run::read_for_fit(request, plan,
                                   {table.records(format, fingerprint), *source, cancel});
        },
        [&](const run::Contents& contents, privacy::Reservation& reservation, run::Pieces& result) {
          fitted = run::fit(request, plan, contents, {*source, reservation, cancel});
          result.write(data::schema_to_toml(fitted.schema));
          return plan.cost.prg_slack;
        });
    auto& sentences = fitted.not_found;
    if (!fitted.no_target.empty()) sentences.insert(sentences.begin(), fitted.no_target);
    sentences.insert(sentences.end(), fitted.doubts.begin(), fitted.doubts.end());
    return Found(std::move(fitted.schema), std::move(sentences));
  });
  return found;
}

/// Of public records: the schema, and its file with remarks.
std::pair<data::Schema, std::string> draft(const nb::object& data, const Said& said,
                                           const Context& context) {
  const Table table(data);
  Payer payer(context);
  const Telling telling(payer);
  auto found = supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto* const cancel = supervision.cancel;
    data::SchemaDraft drafted;
    run::UnwrittenOutput output("a draft in memory");
    run::spend(
        run::unprotected_use("schema draft", table.file(),
                             "exact bounds and categories (public=True)"),
        table.front(payer, cancel), output,
        [&](ledger::Fingerprint* fingerprint) {
          data::DraftOptions options{.target = said.target,
                                     .format = {},
                                     .trust = said.trust(),
                                     .said = said.spelling.said(),
                                     .missing = said.spelling.missing};
          if (table.file().empty()) {
            return data::draft_schema(table.records({}, fingerprint), options);
          }
          auto known = said.spelling.known();
          known.column = said.target;
          options.format =
              data::guess_format(table.file(), said.separating(),
                                 said.header_declared ? std::optional(true) : std::nullopt, known);
          said.spelling.apply(options.format);
          options.encoding_is_said = known.encoding.has_value();
          return data::draft_schema(table.file(), options);
        },
        [&](data::SchemaDraft& read, privacy::Reservation&, run::Pieces&) {
          drafted = std::move(read);
          return 0.0;
        });
    return std::pair(drafted.schema, data::schema_to_toml(drafted.schema, drafted.remarks));
  });
  return found;
}

/// The receipt of the fit of a schema.
std::optional<std::string> fit_receipt(const data::Schema& schema) {
  if (!schema.cost) return std::nullopt;
  return privacy::receipt_to_json(data::fit_receipt(schema));
}

}  // namespace

void bind_schema_fits(nb::module_& module) {
  nb::class_<data::SpellingWords>(module, "SpellingWords")
      .def(nb::init<>())
      .def_rw("decimal", &data::SpellingWords::decimal)
      .def_rw("thousands", &data::SpellingWords::thousands)
      .def_rw("symbols", &data::SpellingWords::symbols)
      .def_rw("encoding", &data::SpellingWords::encoding)
      .def_rw("date_format", &data::SpellingWords::date_format)
      .def_rw("comment", &data::SpellingWords::comment)
      .def_rw("missing", &data::SpellingWords::missing);
  nb::class_<Said>(module, "Said")
      .def(nb::init<>())
      .def_rw("target", &Said::target)
      .def_rw("positive", &Said::positive)
      .def_rw("classes", &Said::classes)
      .def_rw("target_kind", &Said::target_kind)
      .def_rw("ignored", &Said::ignored)
      .def_rw("codes", &Said::codes)
      .def_rw("numbers", &Said::numbers)
      .def_rw("dates", &Said::dates)
      .def_rw("unit", &Said::unit)
      .def_rw("spelling", &Said::spelling)
      .def_rw("public_row_count", &Said::public_row_count, nb::arg().none())
      .def_rw("separator", &Said::separator)
      .def_rw("header_declared", &Said::header_declared);
  nb::class_<Fitting>(module, "Fitting")
      .def(nb::init<>())
      .def_rw("max_records_per_unit", &Fitting::max_records_per_unit)
      .def_rw("coverage", &Fitting::coverage)
      .def_rw("max_categories", &Fitting::max_categories)
      .def_rw("max_hashed", &Fitting::max_hashed);
  module.def("schema_fit", &fit);
  module.def("schema_draft", &draft);
  module.def("fit_receipt", &fit_receipt);
}

}  // namespace tacet::python
