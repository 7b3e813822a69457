#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "python/binding/binding.h"
#include "python/binding/context.h"
#include "python/binding/supervised.h"
#include "tacet/base/error.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/run/release.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The noise for a sum that is clipped by its L1 norm where delta is 0, by its length else.
run::Noise noise_for(bool pure, bool whole) {
  if (pure) return whole ? run::Noise::discrete_laplace : run::Noise::laplace;
  return whole ? run::Noise::discrete_gaussian : run::Noise::gaussian;
}

/// The released numbers, the standard deviation of each one's noise, and the receipt. UsageError
/// where a ledger is to pay: it knows tables, which arrays of one's own are not.
nb::tuple released(privacy::BoundedSum sum, const privacy::Guarantee& asked, bool whole,
                   const Context& context) {
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  privacy::check_notes(context.notes);
  auto found = supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto front = payer.of_file(supervision.cancel);
    if (!front.account.ledger.empty()) {
      throw base::UsageError("a ledger does not pay for sums of arrays; give a budget");
    }
    return run::release(std::move(sum), asked,
                        {.noise = noise_for(asked.delta == 0, whole),
                         .budget = front.budget,
                         .source = source.get()});
  });
  return nb::make_tuple(std::move(found.values), found.noise_stddev,
                        privacy::receipt_to_json(found.receipt));
}

/// A sum of rows, each clipped as it is added (optimize/sums/vector_sum.h); released once.
class HeldSum {
 public:
  HeldSum(std::int64_t dimension, double bound, bool pure)
      : pure_(pure), sum_(dimension, pure ? optimize::Norm::l1 : optimize::Norm::l2, bound) {}

  void add(const Rows& rows) {
    const auto width = rows.shape(1);
    const std::span<const double> values(rows.data(), rows.size());
    supervised(nb::none(), [&](const base::Supervision& supervision) {
      for (std::size_t k = 0; k < values.size(); k += width) {
        if (k % (width << 10) == 0) supervision.cancel->throw_if_cancelled();
        sum_.add(values.subspan(k, width));
      }
      return true;
    });
  }
  nb::tuple release(const privacy::Guarantee& asked, const Context& context) {
    if (pure_ != (asked.delta == 0)) {
      throw base::InternalError("a sum that is clipped for another kind of noise");
    }
    return released(std::move(sum_).take(), asked, false, context);
  }

 private:
  bool pure_;
  optimize::VectorSum sum_;
};

/// How many records lie in each of `bins`; a place that there is not counts as the last one.
nb::tuple release_histogram(const Places& places, std::int64_t bins,
                            const privacy::Guarantee& asked, const Context& context) {
  optimize::Histogram counts(bins);
  for (std::size_t k = 0; k < places.size(); ++k) counts.add(places.data()[k]);
  return released(std::move(counts).take(), asked, true, context);
}

}  // namespace

void bind_releases(nb::module_& module) {
  nb::class_<HeldSum>(module, "VectorSum")
      .def(nb::init<std::int64_t, double, bool>(), nb::arg("dimension"), nb::arg("bound"),
           nb::arg("pure"))
      .def("add", &HeldSum::add)
      .def("release", &HeldSum::release);
  module.def("release_histogram", &release_histogram);
}

}  // namespace tacet::python
