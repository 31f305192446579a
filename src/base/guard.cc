#include "base/guard.h"

#include <new>

namespace fuselane {

bool has_memory_for(void (*body)(void* context), void* context) {
  try {
    body(context);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace fuselane
