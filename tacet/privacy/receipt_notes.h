#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tacet/privacy/receipt.h"

/// The JSON form of a person's notes in receipts.
namespace tacet::privacy {

/// The texts that are not empty, in the order of ReceiptNotes.
[[nodiscard]] nlohmann::ordered_json notes_to_json(const ReceiptNotes& notes);
/// DataError for an unknown key and for a value that is not a text.
[[nodiscard]] ReceiptNotes notes_from_json(const nlohmann::ordered_json& json);

}  // namespace tacet::privacy
