#pragma once

namespace tacet::base {

/// From now on the system writes no memory image of this process when it crashes, and no other
/// process of the same user may read its memory: such an image holds records, keys and noise. A
/// program calls it before it reads any of them; the library by itself changes nothing about the
/// process it runs in. IoError when the system refuses.
void forbid_core_dumps();

}  // namespace tacet::base
