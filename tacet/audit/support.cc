#include "tacet/audit/support.h"

#include <atomic>
#include <cmath>

namespace tacet::audit {

Support audit_support(const Subject& subject, double grid, const AuditOptions& options,
                      base::ThreadPool& threads) {
  constexpr double places = 4;
  std::atomic<std::int64_t> off_grid = 0;
  Subject residues = subject;
  residues.statistic = Statistic::cells;
  residues.gaussian = false;
  residues.event.reset();
  residues.draw = [&](bool other, std::uint64_t seed, std::span<double> out) {
    subject.draw(other, seed, out);
    for (double& number : out) {
      const double steps = number / grid;  // exact: grids are powers of two
      if (std::nearbyint(steps) != steps) ++off_grid;
      number = std::fabs(std::fmod(std::nearbyint(steps), places));
    }
  };
  Support found;
  found.residues = audit(residues, options, threads);
  found.off_grid = off_grid;
  return found;
}

}  // namespace tacet::audit
