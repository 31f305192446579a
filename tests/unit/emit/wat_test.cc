// The text printed from bytes. That it is right, other tools say in tests/node/emit.test.mjs.
#include "emit/wat.h"

#include <gtest/gtest.h>

#include "base/printer.h"
#include "emit/emit.h"
#include "low/parse.h"

namespace fuselane {
namespace {

std::vector<uint8_t> bytes_of(std::string_view low, bool names) {
  auto module = low::parse(low);
  EXPECT_TRUE(module) << module.error().message;
  return emit(*module, {.names = names});
}

constexpr std::string_view kText = R"(
memory shared
func dot(%a: i32, %end: i32) -> f32 export {
  local %sum: v128
  local %i, %i2: i32
  loop $0 {
    %sum = f32x4.relaxed_madd(v128.load(%a, offset=16), v128.load32_splat(%a), %sum)
    if i32.eqz(%i) {
      br $0
    } else {
      %i = 1
    }
  }
  return f32x4.extract_lane(%sum, lane=1)
}
func "two words"() {
  drop call dot(1, 2)
}
)";

TEST(Wat, PrintsFolded) {
  EXPECT_EQ(*wat_of(bytes_of(kText, true)), R"((module
  (import "env" "memory" (memory 1 65536 shared))
  (func $dot (export "dot") (param $a i32) (param $end i32) (result f32)
    (local $i i32)
    (local $i2 i32)
    (local $sum v128)
    (loop $0
      (local.set $sum
        (f32x4.relaxed_madd
          (v128.load offset=16 align=4 (local.get $a))
          (v128.load32_splat (local.get $a))
          (local.get $sum)))
      (if $1 (i32.eqz (local.get $i))
        (then
          (br $0)
        )
        (else
          (local.set $i (i32.const 1))
        )
      )
    )
    (return (f32x4.extract_lane 1 (local.get $sum)))
  )
  (func $two_words
    (drop (call $dot (i32.const 1) (i32.const 2)))
  )
)
)");
}

TEST(Wat, NumbersWhatHasNoName) {
  std::string text =
      *wat_of(bytes_of("func f(%x: i32) { local %y: f32 %y = f32.const(bits 4288675841) }", false));
  EXPECT_EQ(text, R"((module
  (import "env" "memory" (memory 1))
  (func (param i32)
    (local f32)
    (local.set 1 (f32.const -nan:0x200001))
  )
)
)");
}

TEST(Wat, RefusesWhatIsCutOrChanged) {
  auto bytes = bytes_of(kText, true);
  for (size_t length = 0; length < bytes.size(); ++length) {
    auto text = wat_of(std::span(bytes).first(length));
    if (!text) EXPECT_EQ(text.error().code, ErrorCode::InvalidModel);
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (uint8_t change : {0x01, 0x10, 0x80, 0xff}) {
      auto changed = bytes;
      changed[at] ^= change;
      (void)wat_of(changed);  // an error or another text
    }
  }
  auto error_of = [](std::vector<uint8_t> all) { return wat_of(all).error().message; };
  EXPECT_EQ(error_of({0, 'a', 's', 'm', 2, 0, 0, 0}), "wasm, byte 8: no wasm of version 1");
  EXPECT_EQ(error_of({0, 'a', 's', 'm', 1, 0, 0, 0, 4, 0}),
            "wasm, byte 10: a section that is none of those that are written here");
  EXPECT_EQ(error_of({0, 'a', 's', 'm', 1, 0, 0, 0, 1, 9}), "wasm, byte 10: the end is missing");
  auto unknown = bytes_of("func f() { unreachable }", false);
  unknown[unknown.size() - 2] = 0xd0;
  EXPECT_EQ(wat_of(unknown).error().message,
            cat("wasm, byte ", unknown.size() - 1, ": an instruction that is not in the table"));
}

}  // namespace
}  // namespace fuselane
