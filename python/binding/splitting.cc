#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/split_records.h"
#include "tacet/run/parts.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// Names of the two parts.
using Parts = std::pair<std::string, std::string>;

void check_counts(const data::SplitCounts& counts) {
  if (counts.train > 0 && counts.test > 0) return;
  throw base::DataError(
      "of {} records {} would go to the training and {} to the test: too few to "
      "split so",
      counts.train + counts.test, counts.train, counts.test);
}

/// Whether each record goes to the test.
std::vector<bool> split(const HeldRows& rows, const data::SplitOptions& options) {
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    auto places = data::split_places(rows.source(), options, supervision.cancel);
    data::SplitCounts counts;
    for (const bool test : places) ++(test ? counts.test : counts.train);
    check_counts(counts);
    return places;
  });
}

/// As `tacet split`: writes both parts, and returns what is to be said of their account.
std::string split_file(const std::string& file, const data::SplitOptions& asked,
                       const std::optional<data::Schema>& schema, const Parts& parts,
                       bool overwrite) {
  const auto how = overwrite ? base::Overwrite::allow : base::Overwrite::refuse;
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    auto options = asked;
    if (schema) {
      options.format = schema->format;
    } else if (const auto* kind = data::recognised_kind(file)) {
      options.format.kind = kind;
    } else {
      options.format = data::guess_format(file);
    }
    const run::Parts account(file, supervision.cancel);
    if (parts.first == parts.second) throw base::UsageError("the parts must be two files");
    base::AtomicFile train(parts.first, how);
    base::AtomicFile test(parts.second, how);
    const auto to = [&](base::AtomicFile& part) {
      return [&](std::string_view text) {
        supervision.cancel->throw_if_cancelled();
        part.write(text);
      };
    };
    const auto counts = data::split_records(file, options, to(train), to(test));
    check_counts(counts);
    for (const auto& part : {parts.first, parts.second}) account.mark(part);
    train.commit();
    test.commit();
    for (const auto& part : {parts.first, parts.second}) account.note(part);
    return account.word();
  });
}

}  // namespace

void bind_splitting(nb::module_& module) {
  using data::SplitOptions;
  nb::class_<SplitOptions>(module, "SplitOptions")
      .def(nb::init<>())
      .def_rw("test_share", &SplitOptions::test_share)
      .def_rw("seed", &SplitOptions::seed)
      .def_rw("together", &SplitOptions::together)
      .def_rw("stratify", &SplitOptions::stratify);
  module.def("split", &split);
  module.def("split_file", &split_file, nb::arg("file"), nb::arg("options"),
             nb::arg("schema").none(), nb::arg("parts"), nb::arg("overwrite"));
}

}  // namespace tacet::python
