#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>

#include "python/binding/binding.h"
#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/privacy/event.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using accounting::PrivacyInterval;

nb::dict dict_of(const PrivacyInterval& found) {
  nb::dict out;
  out["upper"] = found.upper;
  out["lower"] = found.lower;
  out["lower_is_attained"] = found.lower_is_attained;
  out["route"] = found.route;
  return out;
}

nb::dict epsilon_of(const std::string& event, const std::string& adjacency, double delta) {
  const auto released = privacy::event_from_json(event);
  const auto neighbours = privacy::parse_adjacency(adjacency);
  const privacy::Delta at(delta);
  PrivacyInterval found;
  {
    nb::gil_scoped_release unlocked;
    found = accounting::epsilon_interval(released, neighbours, at);
  }
  return dict_of(found);
}

nb::dict delta_of(const std::string& event, const std::string& adjacency, double epsilon) {
  const auto released = privacy::event_from_json(event);
  const auto neighbours = privacy::parse_adjacency(adjacency);
  const privacy::Epsilon at(epsilon);
  PrivacyInterval found;
  {
    nb::gil_scoped_release unlocked;
    found = accounting::delta_interval(released, neighbours, at);
  }
  return dict_of(found);
}

/// `event` makes the JSON form of an event from the noise.
double min_noise(const nb::callable& event, const std::string& adjacency, double epsilon,
                 double delta) {
  const auto released = [&event](double noise) {
    return privacy::event_from_json(nb::cast<std::string>(event(noise)));
  };
  return accounting::min_noise(released, {privacy::Epsilon(epsilon), privacy::Delta(delta),
                                          privacy::parse_adjacency(adjacency)});
}

std::int64_t max_steps(const nb::callable& event, const std::string& adjacency, double epsilon,
                       double delta) {
  const auto released = [&event](std::int64_t steps) {
    return privacy::event_from_json(nb::cast<std::string>(event(steps)));
  };
  return accounting::max_steps(released, {privacy::Epsilon(epsilon), privacy::Delta(delta),
                                          privacy::parse_adjacency(adjacency)});
}

}  // namespace

void bind_accounting(nb::module_& module) {
  module.def("epsilon_of", &epsilon_of);
  module.def("delta_of", &delta_of);
  module.def("min_noise", &min_noise);
  module.def("max_steps", &max_steps);
  // What the engine makes of an event's JSON form: checked, in the order of its fields.
  module.def("event", [](const std::string& text) {
    return privacy::event_to_json(privacy::event_from_json(text));
  });
}

}  // namespace tacet::python
