#include "library/vector_math.h"

namespace fuselane {

float exp_of_normal_constants[12] = {
    -88.1f,
    88.8f,
    1.44269504f,     // log2(e)
    12582912.0f,     // 1.5 * 2^23
    -0.693359375f,   // minus the upper bits of ln 2
    2.12194440e-4f,  // and what these are too much
    1.0f,
    8.2903057337e-3f,
    4.1897974908e-2f,
    1.6667637229e-1f,
    4.9999150634e-1f,
    9.9999970198e-1f,
};

}  // namespace fuselane
