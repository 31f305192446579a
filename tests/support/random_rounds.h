// How much a test with random cases does, and with which: FUSELANE_TEST_ALL=1 does more (npm test -- --all),
// FUSELANE_SEED=n takes other cases.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fuselane {

inline int random_rounds(int usual) { return std::getenv("FUSELANE_TEST_ALL") ? 20 * usual : usual; }

inline uint64_t random_seed(uint64_t usual) {
  const char* given = std::getenv("FUSELANE_SEED");
  return given ? std::strtoull(given, nullptr, 10) : usual;
}

}  // namespace fuselane
