#pragma once

namespace tacet::privacy {

class Certifier;  // privacy/certifier.h; stays in this tree

/// The proof that a sum shows for the bound it states. Only Certifier can make one, and Certifier
/// is not installed. So other programs cannot state a bound: they use the sums of optimize/sums,
/// which clip what they add.
class Certified {
 private:
  friend class Certifier;
  constexpr Certified() = default;
};

}  // namespace tacet::privacy
