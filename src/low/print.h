// The text of a module, which parse.h reads back: a statement a line, expressions as calls of wasm's names.
//
//   func sum(%from: i32, %end: i32) -> f32 export {
//     local %sum: f32
//     loop $0 {
//       %sum = f32.add(%sum, f32.load(%from, offset=4))
//       %from = i32.add(%from, 4)
//       br_if $0 i32.lt_u(%from, %end)
//     }
//     return %sum
//   }
//
// A whole number alone is an i32. Registers have their names, or their numbers where they have none; a name
// that is taken gets the number behind it. Labels are numbered in their order. Immediates that are what the
// builder gives are left out.
#pragma once

#include <string>

#include "low/low.h"

namespace fuselane::low {

// The module must satisfy verify.h.
std::string print(const Module& module);

}  // namespace fuselane::low
