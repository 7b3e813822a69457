#pragma once

namespace tacet::privacy {

class Certifier;  // privacy/certifier.h; stays in this tree

/// What a sum's maker shows for the bound that it states. Only Certifier can make one, and that
/// class is not installed: outside of this tree a bound cannot be stated, only sums be asked for
/// whose makers clip what they add (optimize/sums).
class Certified {
 private:
  friend class Certifier;
  constexpr Certified() = default;
};

}  // namespace tacet::privacy
