#include <fmt/format.h>

#include "tacet/base/version.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

// A receipt of more bytes stays in its file.
constexpr std::size_t max_receipt_bytes = 60000;

std::string kind_in_words(ResultKind kind) {
  switch (kind) {
    case ResultKind::model:
      return "model";
    case ResultKind::evaluation:
      return "noisy metrics";
    case ResultKind::summary:
      return "summary of columns";
    case ResultKind::quantile:
      return "quantile";
    case ResultKind::schema:
      return "fitted schema";
    case ResultKind::receipt:
      break;
  }
  return "receipt";
}

Table files_table(const Material& material) {
  Table table{.caption = "What this report was made of",
              .header = {"file", "what", "made by version", "SHA-256"},
              .rows = {}};
  for (const auto& result : material.results.all) {
    table.rows.push_back({result.name, kind_in_words(result.kind),
                          result.receipt().software_version, result.sha256});
  }
  if (const auto& account = material.request.account) {
    table.rows.push_back({account->file, fmt::format("ledger of {} rows", account->rows),
                          std::string(), "head " + account->head});
  }
  return table;
}

/// One field of the registry, "open" where nothing is known of it.
struct Registry {
  Table& table;

  void add(std::string_view tier, std::string field, std::string value) const {
    table.rows.push_back({std::string(tier), std::move(field),
                          value.empty() ? std::string("open") : std::move(value)});
  }
};

void add_first_tiers(const Material& material, const Registry& registry) {
  const auto& result = material.results.all.front();
  const auto& receipt = result.receipt();
  const auto& notes = receipt.notes;
  registry.add("1", "data curator", notes.contact);
  registry.add("1", "intended use", notes.purpose);
  registry.add("1", "description",
               result.recorded.model ? result.recorded.model->schema.description : "");
  registry.add("1", "date", notes.date);
  registry.add("2", "flavour",
               !material.results.promises()  ? "none: nothing is promised"
               : receipt.guarantee.delta > 0 ? "approximate (epsilon, delta)"
                                             : "pure (epsilon)");
  registry.add("2", "privacy unit",
               receipt.privacy_unit == "record"
                   ? "one record"
                   : "all records of one " + in_quotes(receipt.privacy_unit));
  registry.add("2", "neighbours", to_string(receipt.guarantee.adjacency));
  registry.add("2", "parameters",
               material.results.promises() && material.joint ? guarantee_in_words(*material.joint)
                                                             : "none: nothing is promised");
  registry.add("2", "deployment model",
               receipt.sampling == "local" ? "local: each device adds its own noise"
                                           : "central: one curator holds the records");
}

Table registry_table(const Material& material) {
  Table table{.caption = "Fields of the public registry of deployments (tier 3)",
              .header = {"tier", "field", "value"},
              .rows = {}};
  const Registry registry{table};
  if (material.results.all.empty()) return table;
  const auto& receipt = material.results.all.front().receipt();
  add_first_tiers(material, registry);
  registry.add("3", "data domain", receipt.notes.data_set);
  registry.add("3", "quantities that are not protected",
               receipt.public_row_count
                   ? fmt::format("the number of records, declared as {}, and the schema",
                                 *receipt.public_row_count)
                   : "the schema: names, bounds and categories of columns");
  registry.add("3", "details of the unit", "");
  registry.add("3", "accounting of composition",
               material.request.account
                   ? fmt::format("by a ledger that counts in {}",
                                 to_string(material.request.account->account.cap().currency))
                   : "of the results in this report alone");
  registry.add("3", "post-processing",
               "panels, tables and predictions are functions of what was released");
  registry.add("3", "implementation", fmt::format("tacet {}", receipt.software_version));
  registry.add("3", "security rationale",
               receipt.randomness == privacy::Randomness::secure
                   ? "noise on a grid, drawn exactly from AES-256 in counter mode"
                   : "none: the seed of the noise is known");
  return table;
}

void add_receipts(const Material& material, Section& section) {
  for (const auto& result : material.results.all) {
    auto text = privacy::receipt_to_json(result.receipt());
    Folded folded{material.results.all.size() == 1
                      ? std::string("The receipt")
                      : fmt::format("The receipt of {}", in_quotes(result.name)),
                  {}};
    if (text.size() > max_receipt_bytes) {
      folded.blocks.push_back(
          {Paragraph{fmt::format("It has {} bytes and stands in the file alone.", text.size())}});
    } else {
      folded.blocks.push_back({Code{std::move(text)}});
    }
    section.blocks.push_back({std::move(folded)});
  }
}

}  // namespace

Section check_section(const Material& material) {
  Section section{"check", "To check it yourself", {}};
  section.blocks.push_back({files_table(material)});
  section.blocks.push_back({Paragraph{fmt::format(
      "This report was made by tacet {}. The same files give the same report, byte for byte.",
      base::version)}});
  for (const auto& command : material.request.commands) {
    section.blocks.push_back({Paragraph{command.purpose}});
    section.blocks.push_back({Code{command.text}});
  }
  auto registry = registry_table(material);
  if (!registry.rows.empty()) {
    section.blocks.push_back(
        {Folded{"Fields of the public registry of deployments", {{std::move(registry)}}}});
  }
  add_receipts(material, section);
  return section;
}

}  // namespace tacet::report
