#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "python/binding/tables.h"
#include "python/binding/training.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/model/words/word_vectors.h"
#include "tacet/report/json.h"
#include "tacet/report/plan.h"
#include "tacet/run/spend.h"
#include "tacet/run/word_vectors.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// Texts and words as `tacet embed` is told of them.
struct Texts {
  std::vector<std::string> words;  ///< public; with public counts, or without any
  std::vector<std::int64_t> counts;
  std::string word_file;
  std::optional<std::int64_t> buckets;
  std::optional<std::int64_t> min_count;
  std::optional<double> sample;
  bool negatives_by_count = false;
  std::string text_column;  ///< empty: a file with a document a line
  std::string unit_column;
  bool split_words = false;
  std::optional<std::int64_t> max_words;
  bool pairs_as_units = false;

  [[nodiscard]] learn::WordOptions options(const Values& given) const {
    auto options = learn::word_options({given.begin(), given.end()});
    options.pairs_as_units = pairs_as_units;
    options.negatives_by_count = negatives_by_count;
    options.sample = sample;
    return options;
  }
  [[nodiscard]] std::string unit() const {
    if (pairs_as_units && !unit_column.empty()) {
      throw base::UsageError("unit and pairs_as_units contradict each other; give one");
    }
    return pairs_as_units ? "pair" : unit_column.empty() ? "record" : unit_column;
  }
  [[nodiscard]] data::Vocabulary vocabulary(const learn::WordOptions& options) const {
    const bool listed = !words.empty() || !word_file.empty();
    if (options.select_vocabulary) {
      if (listed || buckets || min_count || pairs_as_units) {
        throw base::UsageError(
            "select_vocabulary finds the words in the texts; leave out vocabulary, buckets, "
            "min_count and pairs_as_units");
      }
      return learn::words_to_be_found(options);
    }
    if (listed == buckets.has_value()) {
      throw base::UsageError(
          "words need a public list (vocabulary) or a public hash (buckets), one of them: words "
          "taken from the texts would say what is in them, unless that is paid for "
          "(select_vocabulary)");
    }
    if (buckets) {
      if (*buckets < 1 || *buckets > 30) {
        throw base::UsageError("buckets must be 1 to 30, got {}", *buckets);
      }
      if (min_count) {
        throw base::UsageError("min_count needs public counts, which hashed words have not");
      }
      return data::Vocabulary::hashed(static_cast<int>(*buckets));
    }
    auto list = words.empty() ? data::read_vocabulary(word_file) : data::Vocabulary(words, counts);
    return min_count ? list.with_counts_from(*min_count) : std::move(list);
  }
  [[nodiscard]] data::OpenCorpus read(const Table& table, const data::Vocabulary& vocabulary,
                                      const learn::WordOptions& options,
                                      ledger::Fingerprint* fingerprint,
                                      const base::CancelToken* cancel) const {
    data::CorpusOptions how{
        .tokens = split_words ? data::TokenRule::words : data::TokenRule::blanks,
        .keep_unknown = options.examples.needs_unknown(),
        .cancel = cancel};
    if (max_words) how.max_words = *max_words;
    if (!text_column.empty()) {
      how.table = data::CorpusTable{.text_column = text_column};
      if (!unit_column.empty()) how.table->unit_column = unit_column;
    }
    const auto& file = table.file();
    if (file.ends_with(".tsv") || file.ends_with(".tsv.gz")) {
      if (how.table) {
        how.table->format.separator = '\t';
        how.table->format.quote.reset();
      }
    }
    if (file.empty()) {
      const auto records = table.records({}, fingerprint, {text_column, unit_column});
      if (options.select_vocabulary) return data::read_open_corpus(records, how);
      return {data::read_corpus(records, vocabulary, how)};
    }
    if (options.select_vocabulary) return data::read_open_corpus(file, how);
    return {data::read_corpus(file, vocabulary, how)};
  }
};

using Floats = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

Floats floats_of(std::vector<float> values, std::size_t rows) {
  auto held = std::make_unique<std::vector<float>>(std::move(values));
  auto* const data = held->data();
  const std::size_t columns = rows == 0 ? 0 : held->size() / rows;
  const nb::capsule owner(held.release(), [](void* p) noexcept {
    delete static_cast<std::vector<float>*>(p);  // NOLINT(cppcoreguidelines-owning-memory)
  });
  return {data, {rows, columns}, owner};
}

/// What a training leaves, apart from its rows.
struct Found {
  std::vector<std::string> words;
  std::vector<float> vectors;
  std::vector<float> contexts;
  privacy::Receipt receipt;
  std::string plan;
};

Found found_in(const run::TrainedVectors& trained) {
  Found found{.receipt = trained.trained.receipt};
  for (const auto which : {run::VectorsOf::words, run::VectorsOf::contexts}) {
    const bool contexts = which == run::VectorsOf::contexts;
    auto& values = contexts ? found.contexts : found.vectors;
    run::visit_vectors(trained, which, [&](std::string_view word, std::span<const float> vector) {
      if (!contexts) found.words.emplace_back(word);
      values.insert(values.end(), vector.begin(), vector.end());
    });
  }
  found.plan = report::json_text(report::plan_json(learn::Training{trained.plan, {}}));
  return found;
}

nb::dict embed(const nb::object& texts, const Texts& said, const Values& given,
               const Context& context, const nb::object& callback) {
  const auto options = said.options(given);
  const auto vocabulary = said.vocabulary(options);
  const auto plan = learn::plan_words(vocabulary, said.unit(), options);
  privacy::check_notes(context.notes);
  const Table table(texts);
  Payer payer(context);
  const auto source = payer.source();
  auto found = supervised(callback, [&](const base::Supervision& supervision) {
    base::ThreadPool threads(context.threads > 0 ? context.threads : base::available_threads());
    run::UnwrittenOutput output("vectors in memory");
    Found made;
    run::spend(
        {.command = "embed",
         .data = table.file(),
         .privacy_unit = plan.privacy_unit,
         .planned = plan.events,
         .cost = plan.guarantee,
         .unprotected_reason =
             plan.unprotected() ? "trained with epsilon inf" : payer.unprotected_reason()},
        table.front(payer, supervision.cancel), output,
        [&](ledger::Fingerprint* fingerprint) {
          return said.read(table, vocabulary, options, fingerprint, supervision.cancel);
        },
        [&](data::OpenCorpus& corpus, privacy::Reservation& reservation, run::Pieces& result) {
          const auto trained = run::train_vectors(plan, vocabulary, options, corpus,
                                                  {.source = *source,
                                                   .reservation = reservation,
                                                   .threads = threads,
                                                   .supervision = supervision});
          run::write_vectors(trained, run::VectorsOf::words, model::VectorFormat::text,
                             [&](std::string_view piece) { result.write(piece); });
          made = found_in(trained);
          made.receipt.notes = reservation.noted(context.notes);
          return made.receipt.prg_slack;
        });
    return made;
  });
  payer.tell();
  nb::dict out;
  const auto rows = found.words.size();
  out["words"] = nb::cast(std::move(found.words));
  out["vectors"] = nb::cast(floats_of(std::move(found.vectors), rows));
  out["contexts"] = nb::cast(floats_of(std::move(found.contexts), rows));
  out["receipt"] = privacy::receipt_to_json(found.receipt);
  out["plan"] = found.plan;
  return out;
}

using Rows2D = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The files that `tacet embed` writes: vectors, and the receipt beside them; empty: none.
void save_vectors(const std::vector<std::string>& words, const Rows2D& vectors,
                  const std::string& path, const std::string& format, const std::string& receipt,
                  bool overwrite) {
  const auto how = overwrite ? base::Overwrite::allow : base::Overwrite::refuse;
  const auto form = model::vector_format(format);
  if (vectors.shape(0) != words.size()) throw base::UsageError("a vector a word is needed");
  const auto size = vectors.shape(1);
  base::AtomicFile file(path, how);
  std::optional<base::AtomicFile> list;
  std::optional<base::AtomicFile> beside;
  if (form == model::VectorFormat::npy) list.emplace(model::word_list_of(path), how);
  if (!receipt.empty()) beside.emplace(path + ".receipt.json", how);
  model::VectorWriter writer(form, static_cast<std::int64_t>(words.size()),
                             static_cast<std::int64_t>(size),
                             [&](std::string_view piece) { file.write(piece); });
  for (std::size_t k = 0; k < words.size(); ++k) {
    writer.add(words[k], std::span(vectors.data() + k * size, size));
    if (list) list->write(words[k] + "\n");
  }
  writer.finish();
  if (list) list->commit();
  if (beside) {
    beside->write(receipt + "\n");
    beside->commit();
  }
  file.commit();
}

}  // namespace

void bind_words(nb::module_& module) {
  nb::class_<Texts>(module, "Texts")
      .def(nb::init<>())
      .def_rw("words", &Texts::words)
      .def_rw("counts", &Texts::counts)
      .def_rw("word_file", &Texts::word_file)
      .def_rw("buckets", &Texts::buckets, nb::arg().none())
      .def_rw("min_count", &Texts::min_count, nb::arg().none())
      .def_rw("sample", &Texts::sample, nb::arg().none())
      .def_rw("negatives_by_count", &Texts::negatives_by_count)
      .def_rw("text_column", &Texts::text_column)
      .def_rw("unit_column", &Texts::unit_column)
      .def_rw("split_words", &Texts::split_words)
      .def_rw("max_words", &Texts::max_words, nb::arg().none())
      .def_rw("pairs_as_units", &Texts::pairs_as_units);
  module.def("word_parameters", [] {
    std::vector<std::string> names;
    for (const auto& row : learn::word_parameters()) names.emplace_back(row.name);
    return names;
  });
  module.def("embed", &embed, nb::arg("texts"), nb::arg("said"), nb::arg("values"),
             nb::arg("means"), nb::arg("callback").none());
  module.def("save_vectors", &save_vectors);
}

}  // namespace tacet::python
