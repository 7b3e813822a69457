#include "tacet/model/export/c_export.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/model/export/c_columns.h"
#include "tacet/model/export/c_curves.h"
#include "tacet/model/export/c_text.h"
#include "tacet/model/export/c_wide.h"
#include "tacet/model/export/export_notes.h"

namespace tacet::model::internal {
namespace {

constexpr const char* c_usage = R"( *
 * tacet_margins() gives the margins of tacet, bit for bit, where doubles are IEEE 754 and no
 * expression has more digits than they have (FLT_EVAL_METHOD 0). A text is a category where it is
 * equal, or else where both spell exactly the same number. Link with -lm. With
 * TACET_DECLARATIONS_ONLY defined, the file is its own header.
)";

std::string head(const ModelFile& file, const CColumns& columns) {
  std::string out = "/*\n";
  const ExportOptions options{.format = ExportFormat::c, .table = {}, .keep = {}};
  for (const auto& line : export_notes(file, options)) put(out, " * {}\n", c_comment(line));
  out += c_usage;
  if (!columns.names.empty()) {
    out += " *\n * Members whose columns have other names:\n" + columns.names;
  }
  return out + " */\n";
}

std::string declarations(const ModelFile& file, const CColumns& columns) {
  const auto& model = file.model;
  const bool regression = model.task == PredictionTask::regression;
  std::string out = "#ifndef TACET_MODEL_DECLARED\n#define TACET_MODEL_DECLARED\n\n";
  out += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  const std::string_view none = "  char unused; /* the model reads no column */\n";
  put(out, "struct tacet_record {{\n{}}};\n\n", columns.members.empty() ? none : columns.members);
  put(out, "enum {{ TACET_OUTPUTS = {} }};\n", model.output_count());
  put(out,
      "/* margins[TACET_OUTPUTS]. */\n"
      "void tacet_margins(const struct tacet_record *record, double *margins);\n");
  if (regression) {
    out +=
        "/* In the target's units. */\ndouble tacet_predict(const struct tacet_record *record);\n";
  } else {
    put(out, "enum {{ TACET_CLASSES = {} }};\n", model.classes.size());
    out +=
        "extern const char *const tacet_classes[TACET_CLASSES];\n"
        "/* An index of tacet_classes. */\n"
        "int tacet_predict(const struct tacet_record *record);\n";
  }
  if (model.has_probabilities()) {
    out +=
        "/* probabilities[TACET_CLASSES]. */\n"
        "void tacet_probabilities(const struct tacet_record *record, double *probabilities);\n";
  }
  if (!file.receipt.is_protected()) {
    put(out, "/* This model promises no privacy: the reason. */\nextern const char tacet_{}[];\n",
        unprotected_mark);
  }
  return out + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

/// Constants that the functions use.
std::string constants(const ModelFile& file, const CColumns& columns) {
  const auto& schema = file.schema;
  const double largest = schema.row_scaling == data::RowScaling::constant_root
                             ? 1.0 / std::sqrt(schema.unscaled_square())
                             : 1.0;
  std::string out;
  put(out, "#define TACET_ENTRIES {}\n", columns.entries);
  put(out, "#define TACET_FEATURES {}\n", schema.full_column_count());
  put(out, "#define TACET_LARGEST_FACTOR {}\n", double_text(largest));
  put(out, "#define TACET_CONSTANT_SQUARE {}\n",
      double_text(schema.intercept ? schema.constant * schema.constant : 0.0));
  put(out, "#define TACET_SQUARED_BOUND {}\n", data::Dataset(schema.shape()).squared_norm_bound());
  if (columns.parts.hashes || columns.parts.crossed) {
    out += "#define TACET_HASH UINT64_C(0xcbf29ce484222325)\n";
  }
  return out;
}

std::string coefficient_table(const ModelFile& file) {
  const auto full = full_coefficients(file);
  const auto outputs = base::checked_cast<std::size_t>(file.model.output_count());
  const auto width = full.size() / outputs;
  std::string out = "\nstatic const double tacet_coefficients[TACET_OUTPUTS][TACET_FEATURES] = {";
  for (std::size_t output = 0; output < outputs; ++output) {
    out += output == 0 ? "{\n" : ", {\n";
    for (std::size_t k = 0; k < width; ++k)
      put(out, "  {},\n", double_text(full[output * width + k]));
    out += "}";
  }
  return out + "};\n";
}

std::string margin_functions(const ModelFile& file, const CColumns& columns) {
  const auto& schema = file.schema;
  std::string out =
      "\nstatic void tacet_encode(const struct tacet_record *record, struct tacet_row *row)\n{\n";
  out += columns.code + "  (void)record; /* where no column is read */\n  (void)row;\n}\n" +
         c_row_functions();
  out += R"(
void tacet_margins(const struct tacet_record *record, double *margins)
{
  struct tacet_row row;
  int integers[TACET_ENTRIES];
  double factor;
)";
  if (!file.model.wide) out += "  int output, k;\n";
  out += schema.curves ? "  struct tacet_row plain;\n  plain.count = row.count = 0;\n"
                         "  tacet_encode(record, &plain);\n  tacet_curves(&plain, &row);\n"
                       : "  row.count = 0;\n  tacet_encode(record, &row);\n";
  put(out, "  factor = {};\n",
      schema.row_scaling == data::RowScaling::none ? "1.0" : "tacet_factor(&row)");
  if (schema.intercept) {
    put(out, "  tacet_add(&row, TACET_FEATURES - 1, {});\n", double_text(schema.constant));
  }
  out += R"(  /* A row that truncation left just above its bound shrinks. */
  while (tacet_truncate(&row, factor, integers) > TACET_SQUARED_BOUND) factor *= 1 - 0x1p-30;
)";
  if (file.model.wide) return out + "  tacet_net(&row, integers, margins);\n}\n";
  out += R"(  for (output = 0; output < TACET_OUTPUTS; ++output) {
    double sum = 0;
    for (k = 0; k < row.count; ++k) {
      if (integers[k] != 0) sum += tacet_coefficients[output][row.columns[k]] * integers[k];
    }
    margins[output] = sum * (1.0 / 2048))";
  if (file.model.offset != 0) put(out, " + {}", double_text(file.model.offset));
  return out + ";\n  }\n}\n";
}

constexpr const char* logistic_text = R"(
static double tacet_logistic(double margin)
{
  double odds;
  if (margin >= 0) return 1.0 / (1.0 + exp(-margin));
  odds = exp(margin);
  return odds / (1.0 + odds);
}
)";

/// As regression_value.
std::string regression_function(const LinearModel& model) {
  const auto link = link_of(model.loss);
  std::string out = link == Link::logit ? logistic_text : "";
  out +=
      "\ndouble tacet_predict(const struct tacet_record *record)\n{\n"
      "  double margins[TACET_OUTPUTS];\n  double label;\n"
      "  tacet_margins(record, margins);\n  label = margins[0];\n";
  switch (link) {
    case Link::identity:
      out += "  label = label < -1.0 ? -1.0 : 1.0 < label ? 1.0 : label;\n";
      break;
    case Link::logit:
      out += "  label = tacet_logistic(label);\n";
      break;
    case Link::log:
      out += "  label = exp(0.0 < label ? 0.0 : label);\n";
      break;
  }
  const bool shares = properties(model.loss).labels == Labels::shares;
  put(out, "  return {} + {} * ({} - {});\n}}\n", double_text(model.target_lower),
      shares ? "label" : "((label + 1.0) / 2.0)", double_text(model.target_upper),
      double_text(model.target_lower));
  return out;
}

constexpr const char* predict_one = R"(
int tacet_predict(const struct tacet_record *record)
{
  double margins[TACET_OUTPUTS];
  tacet_margins(record, margins);
  return margins[0] > 0 ? 1 : 0;
}
)";

constexpr const char* predict_best = R"(
int tacet_predict(const struct tacet_record *record)
{
  double margins[TACET_OUTPUTS];
  int best = 0, k;
  tacet_margins(record, margins);
  for (k = 1; k < TACET_OUTPUTS; ++k) {
    if (margins[best] < margins[k]) best = k;
  }
  return best;
}
)";

/// As class_probabilities.
std::string probability_function(const LinearModel& model) {
  const bool softmax = std::holds_alternative<SoftmaxLoss>(model.loss);
  std::string out = model.task == PredictionTask::multi_class && softmax ? "" : logistic_text;
  out +=
      "\nvoid tacet_probabilities(const struct tacet_record *record, double *probabilities)\n{\n"
      "  double margins[TACET_OUTPUTS];\n";
  if (model.task == PredictionTask::binary) {
    return out +
           "  tacet_margins(record, margins);\n"
           "  probabilities[1] = tacet_logistic(margins[0]);\n"
           "  probabilities[0] = tacet_logistic(-margins[0]);\n}\n";
  }
  out += "  double total = 0;\n  int k;\n";
  if (softmax) out += "  double largest;\n";
  out += "  tacet_margins(record, margins);\n";
  if (softmax) {
    out +=
        "  largest = margins[0];\n  for (k = 1; k < TACET_OUTPUTS; ++k) {\n"
        "    if (largest < margins[k]) largest = margins[k];\n  }\n";
  }
  put(out, "  for (k = 0; k < TACET_OUTPUTS; ++k) {{\n    probabilities[k] = {};\n",
      softmax ? "exp(margins[k] - largest)" : "tacet_logistic(margins[k])");
  return out + R"(    total += probabilities[k];
  }
  for (k = 0; k < TACET_OUTPUTS; ++k) {
    probabilities[k] = total > 0 ? probabilities[k] / total : 1.0 / TACET_OUTPUTS;
  }
}
)";
}

std::string predictions(const ModelFile& file) {
  const auto& model = file.model;
  if (model.task == PredictionTask::regression) return regression_function(model);
  std::string out = "\nconst char *const tacet_classes[TACET_CLASSES] = {";
  for (const auto& name : model.classes) put(out, "\n  {},", c_literal(name));
  out += "\n};\n";
  out += model.task == PredictionTask::binary ? predict_one : predict_best;
  if (model.has_probabilities()) out += probability_function(model);
  return out;
}

}  // namespace

std::string c_export(const ModelFile& file) {
  expect_exportable(file, "C");
  if (file.model.wide && file.schema.selected_columns) {
    throw base::UsageError("a wide model of chosen features cannot be exported as C");
  }
  auto columns = c_columns(file.schema);
  if (file.schema.curves) columns.entries += file.schema.curves->directions;
  std::string out = head(file, columns) + declarations(file, columns);
  out +=
      "\n#ifndef TACET_DECLARATIONS_ONLY\n\n#include <math.h>\n#include <stddef.h>\n"
      "#include <stdint.h>\n\n";
  // GCC does not know it, and does as it says in C99.
  out += "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n";
  out += constants(file, columns) + c_runtime(columns.parts) + "\n" + columns.tables;
  if (file.schema.curves) out += c_curves(file.schema);
  out += file.model.wide ? c_wide(*file.model.wide) : coefficient_table(file);
  out += margin_functions(file, columns) + predictions(file);
  if (!file.receipt.is_protected()) {
    put(out, "\nconst char tacet_{}[] = {};\n", unprotected_mark,
        c_literal(file.receipt.unprotected_reason));
  }
  return out + "\n#endif\n";
}

}  // namespace tacet::model::internal
