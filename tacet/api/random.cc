#include "tacet/api/random.h"

#include "tacet/random/source/source.h"

namespace tacet::api {

Random Random::secure() { return Random(random::SecureSource::create()); }

Random Random::seeded(std::uint64_t seed) {
  return Random(std::make_shared<random::SeededSource>(seed));
}

}  // namespace tacet::api
