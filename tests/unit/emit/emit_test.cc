// The bytes of small modules, compared with what the format's specification says.
#include "emit/emit.h"

#include <gtest/gtest.h>

#include "low/build.h"

namespace fuselane {
namespace {

using low::Builder;
using low::Function;
using low::LabelId;
using low::Op;
using low::RegisterId;
using low::Type;
using Bytes = std::vector<uint8_t>;

// The bytes of a module's sections, by number.
std::vector<std::pair<int, Bytes>> sections_of(const Bytes& bytes) {
  std::vector<std::pair<int, Bytes>> sections;
  for (size_t at = 8; at < bytes.size();) {
    int id = bytes[at++];
    size_t size = 0;
    for (int shift = 0;; shift += 7) {
      size |= static_cast<size_t>(bytes[at] & 0x7f) << shift;
      if (bytes[at++] < 0x80) break;
    }
    sections.emplace_back(id, Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(at + size)));
    at += size;
  }
  return sections;
}

// The body of the only function of a module, after its size.
Bytes body_of(Function function) {
  low::Module module;
  module.functions.push_back(std::move(function));
  Bytes code = sections_of(emit(module)).back().second;
  return Bytes(code.begin() + 2, code.end());
}

TEST(Emit, WritesTheEmptyModule) {
  EXPECT_EQ(emit({}), (Bytes{0,   'a', 's', 'm', 1,   0,   0,   0,  // preamble
                             1,   1,   0,                           // no types
                             2,   15,  1,   3,   'e', 'n', 'v', 6, 'm', 'e',
                             'm', 'o', 'r', 'y', 2,   0,   1,   3, 1,   0,  // no functions
                             7,   1,   0,                                   // no exports
                             10,  1,   0}));                                // no code
}

TEST(Emit, DeclaresASharedMemoryWithTheLargestMaximum) {
  auto sections = sections_of(emit({.shared_memory = true}));
  EXPECT_EQ(sections[1].first, 2);
  Bytes limits(sections[1].second.end() - 6, sections[1].second.end());
  EXPECT_EQ(limits, (Bytes{2, 3, 1, 0x80, 0x80, 0x04}));
}

TEST(Emit, SharesTypesAndExportsByName) {
  low::Module module;
  for (const char* name : {"a", "b", "c"}) {
    module.functions.push_back({.name = name, .exported = name[0] != 'b'});
  }
  Builder(module.functions[1]).parameter(Type::V128);
  auto sections = sections_of(emit(module));
  EXPECT_EQ(sections[0].second, (Bytes{2, 0x60, 0, 0, 0x60, 1, 0x7b, 0}));
  EXPECT_EQ(sections[2].second, (Bytes{3, 0, 1, 0}));
  EXPECT_EQ(sections[3].second, (Bytes{2, 1, 'a', 0, 0, 1, 'c', 0, 2}));
}

TEST(Emit, NumbersLocalsByType) {
  Function function;
  Builder b(function);
  RegisterId p = b.parameter(Type::F32);
  RegisterId v = b.reg(Type::V128);
  RegisterId i = b.reg(Type::I32);
  RegisterId w = b.reg(Type::V128);
  b.set(v, b.op(Op::F32x4Splat, p));
  b.set(w, v);
  b.set(i, b.i32(-1));
  EXPECT_EQ(body_of(function), (Bytes{2,    1,    0x7f, 2,  0x7b,     // 1 i32, then 2 v128
                                      0x20, 0,    0xfd, 19, 0x21, 2,  // p, splat, to the first v128
                                      0x20, 2,    0x21, 3,            // and to the second
                                      0x41, 0x7f, 0x21, 1,  0x0b}));  // -1 to the i32
}

TEST(Emit, CountsLabelsFromTheInnermost) {
  Function function;
  Builder b(function);
  LabelId out = b.begin_block();
  LabelId loop = b.begin_loop();
  b.begin_if(b.i32(1));
  b.branch(out);
  b.begin_else();
  b.branch_if(loop, b.i32(0));
  b.end();
  b.end();
  b.end();
  EXPECT_EQ(body_of(function), (Bytes{0, 2, 0x40, 3, 0x40, 0x41, 1,    4,    0x40, 0x0c,
                                      2, 5, 0x41, 0, 0x0d, 1,    0x0b, 0x0b, 0x0b, 0x0b}));
}

TEST(Emit, WritesImmediates) {
  Function function;
  Builder b(function);
  RegisterId v = b.reg(Type::V128);
  b.store(Op::V128Store32Lane, b.i32(300), v, 128, 3);
  b.drop(b.i64(-129));
  b.drop(b.f32(1));
  b.drop(b.f64(2));
  b.drop(b.shuffle_32({0, 5, 2, 7}, v, v));
  b.drop(b.lane(Op::F32x4ExtractLane, 2, v));
  b.drop(b.op(Op::F32x4RelaxedMadd, v, v, v));
  b.drop(b.op(Op::I32TruncSatF32S, b.f32(0)));
  EXPECT_EQ(
      body_of(function),
      (Bytes{1,    1,    0x7b, 0x41, 0xac, 0x02, 0x20, 0,    0xfd, 90,   2,  0x80, 1,  3,      // store
             0x42, 0xff, 0x7e, 0x1a,                                                           // i64
             0x43, 0,    0,    0x80, 0x3f, 0x1a,                                               // f32
             0x44, 0,    0,    0,    0,    0,    0,    0,    0x40, 0x1a,                       // f64
             0x20, 0,    0x20, 0,    0xfd, 13,   0,    1,    2,    3,    20, 21,   22, 23, 8,  // shuffle
             9,    10,   11,   28,   29,   30,   31,   0x1a,                                   //
             0x20, 0,    0xfd, 31,   2,    0x1a,                                               // lane
             0x20, 0,    0x20, 0,    0x20, 0,    0xfd, 0x85, 0x02, 0x1a,                       // madd
             0x43, 0,    0,    0,    0,    0xfc, 0,    0x1a, 0x0b}));                          // trunc_sat
}

TEST(Emit, EndsWhatReturnsInsideOnly) {
  Function function{.name = {}, .result = Type::I32};
  Builder b(function);
  b.begin_if(b.i32(1));
  b.give(b.i32(2));
  b.begin_else();
  b.give(b.i32(3));
  b.end();
  EXPECT_EQ(body_of(function),
            (Bytes{0, 0x41, 1, 4, 0x40, 0x41, 2, 0x0f, 5, 0x41, 3, 0x0f, 0x0b, 0x00, 0x0b}));
}

TEST(Emit, NamesWhereAskedTo) {
  low::Module module;
  module.functions.resize(1);
  module.functions[0].name = "f";
  Builder b(module.functions[0]);
  b.reg(Type::V128, "acc");
  b.reg(Type::I32, "i");
  b.reg(Type::I32);
  Bytes names = sections_of(emit(module, {.names = true})).back().second;
  EXPECT_EQ(names, (Bytes{4, 'n', 'a', 'm', 'e', 1, 4, 1,   0, 1, 'f',  //
                          2, 11,  1,   0,   2,   0, 1, 'i', 2, 3, 'a', 'c', 'c'}));
}

}  // namespace
}  // namespace fuselane
