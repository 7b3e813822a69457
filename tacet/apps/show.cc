#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/model/model_file.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view examples =
    "  tacet show model.json          coefficients, settings and the guarantee in words\n"
    "  tacet show model.json --json   the same for a program\n"
    "\n"
    "`noise sd` is the standard deviation of the privacy noise in a coefficient. It does not\n"
    "contain the sampling error of the data.\n";

class Show : public Command {
 public:
  void declare(CLI::App& program) override {
    auto& app = add(program, "show", "Print a model and what it cost", examples);
    app.add_option("model", model_, "Model file that `tacet train` wrote")
        ->required()
        ->type_name("FILE");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto file = model::load_model(model_);
    warn_if_unprotected(console, file.receipt);
    if (console.json()) {
      ordered_json out;
      out["coefficients"] = coefficient_json(file.model);
      out["receipt"] = ordered_json::parse(privacy::receipt_to_json(file.receipt));
      console.result(out.dump(1) + "\n");
      return;
    }
    console.result(
        fmt::format("{}\n{}", coefficient_text(file.model, std::numeric_limits<std::size_t>::max()),
                    receipt_text(file.receipt)));
  }

 private:
  std::string model_;
};

}  // namespace

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace tacet::apps
