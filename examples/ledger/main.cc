// A budget that outlives the process: an account in a file, and a release that it pays for.

#include <filesystem>
#include <iostream>

#include "tacet/tacet.h"

int main() {
  using namespace tacet;
  const auto adjacency = privacy::Adjacency::add_remove;
  const auto folder = std::filesystem::temp_directory_path() / "tacet-example-ledger";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const auto path = folder / "budget.ledger";
  api::Ledger::create(path);
  api::Ledger book(path);
  book.enrol({.data_set = "visits", .adjacency = adjacency, .currency = "pure", .cap = 1});

  for (const char* when : {"today", "tomorrow", "once too often"}) {
    api::LedgerBudget budget(book, {.data_set = "visits", .command = when});
    optimize::Histogram days(7);
    for (int visit = 0; visit < 5000; ++visit) days.add(visit % 7);
    try {
      const auto released = api::release(std::move(days), {0.5, 0, adjacency},
                                         {.noise = api::Noise::laplace, .budget = &budget});
      const auto receipt = privacy::receipt_to_json(released.receipt);
      budget.release(receipt, "receipt", released.receipt.prg_slack);  // now it may appear
      std::cout << when << ": " << released.values[0] << '\n';
    } catch (const base::BudgetError& error) {
      std::cout << when << ": refused\n";
    }
  }
  std::cout << "spent: " << book.spent("visits") << '\n';
  std::filesystem::remove_all(folder);
}
