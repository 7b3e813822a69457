#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tacet/privacy/receipt.h"

/// How receipts keep what a person said.
namespace tacet::privacy {

/// The texts that are not empty, in the order above.
[[nodiscard]] nlohmann::ordered_json notes_to_json(const ReceiptNotes& notes);
/// DataError for what is unknown or no text.
[[nodiscard]] ReceiptNotes notes_from_json(const nlohmann::ordered_json& json);

}  // namespace tacet::privacy
