// Graph in, segments out: what becomes known while planning, what becomes a step, where a segment ends.
#include "assemble/assembler.h"

#include <gtest/gtest.h>

#include "graph/ops.h"
#include "graph/parse.h"
#include "library/kernels.h"
#include "plan/print.h"
#include "tests/unit/assemble/interpreted_kernels.h"

namespace fuselane {
namespace {

std::shared_ptr<const Tensor> scalar(DType dtype, int64_t value) {
  int64_t values[] = {value};
  return std::make_shared<const Tensor>(*Tensor::of_ints(dtype, {}, values));
}

// No test here has constants to pack.
class NoPacks final : public PackStore {
 public:
  Result<uint32_t> pack(const Packing&) override { return fail(ErrorCode::InternalError, "nothing to pack"); }
};

class AssemblerTest : public testing::Test {
 protected:
  Assembler assembler_for(const std::vector<Dims>& feed_dims, std::vector<bool> wanted, bool kernels = false,
                          bool vertical = false, uint32_t threads = 1) {
    return Assembler(graph_, packs_, feed_dims, std::move(wanted),
                     {.kernels = kernels, .threads = threads, .store = &kernels_, .vertical = vertical});
  }
  void parse(std::string_view text) {
    auto parsed = parse_graph(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    graph_ = *std::move(parsed);
  }
  std::string text(const Result<Segment>& segment) {
    if (!segment) return segment.error().message;
    return print(*segment, [&](const Step& step) {
      std::string op(text_of(graph_[NodeId(size_t{step.node})].op));
      if (step.kernel == kNoKernel) return op;
      if (step.kernel >= kLibraryKernels) return cat(op, " by ", kernels_.key(step.kernel));
      return cat(op, " ", name_of(static_cast<KernelId>(step.kernel)));
    });
  }

  Graph graph_;
  NoPacks packs_;
  InterpretedKernels kernels_;
};

TEST_F(AssemblerTest, ArithmeticOnShapesCostsNoStep) {
  parse(R"(graph "g" {
    const %zero: i64[1] = [0]
    const %minus: i64[1] = [-1]
    input %x: f32[n,2,3]
    %shape: i64[3] = Shape(%x)
    %n: i64[1] = Gather(%shape, %zero)
    %to: i64[2] = Concat(%n, %minus) {axis = 0}
    %y: f32[?,?] = Reshape(%x, %to)
    %z: f32[?,?] = Transpose(%y)
    output "z" = %z
  })");
  Assembler assembler = assembler_for({{4, 2, 3}}, {true});
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 128 {
  b0: f32[4,6] = feed 0
  b1: f32[6,4] = arena 0
  (b1) = Transpose (b0)
  return (b1)
}
)");
}

TEST_F(AssemblerTest, MemoryIsReusedOnceAValueHasBeenRead) {
  parse(R"(graph "g" {
    input %x: f32[4,8]
    %a: f32[8,4] = Transpose(%x)
    %b: f32[4,8] = Transpose(%a)
    %c: f32[8,4] = Transpose(%b)
    output "c" = %c
  })");
  Assembler assembler = assembler_for({{4, 8}}, {true});
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 256 {
  b0: f32[4,8] = feed 0
  b1: f32[8,4] = arena 0
  b2: f32[4,8] = arena 128
  b3: f32[8,4] = arena 0
  (b1) = Transpose (b0)
  (b2) = Transpose (b1)
  (b3) = Transpose (b2)
  return (b3)
}
)");
}

TEST_F(AssemblerTest, ABranchEndsTheSegmentAndEitherSideCanFollow) {
  parse(R"(graph "g" {
    input %c: bool[]
    input %x: f32[2,3]
    %t: f32[3,2] = Transpose(%x)
    %y: f32[?,?] = If(%c) do {
      %u: f32[2,3] = Transpose(%t)
      yield %u
    } do {
      yield %t
    }
    output "y" = %y
  })");
  Assembler assembler = assembler_for({{}, {2, 3}}, {true});
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 64 {
  b0: f32[2,3] = feed 1
  b1: f32[3,2] = arena 0
  b2: bool[] = feed 0
  (b1) = Transpose (b0)
  read (b2)
}
)");
  Assembler other = assembler;
  EXPECT_EQ(text(assembler.next({scalar(DType::Bool, 1)})), R"(segment arena 128 {
  b0: f32[3,2] = arena 0
  b1: f32[2,3] = arena 64
  (b1) = Transpose (b0)
  return (b1)
}
)");
  EXPECT_EQ(text(other.next({scalar(DType::Bool, 0)})), R"(segment arena 64 {
  b0: f32[3,2] = arena 0
  return (b0)
}
)");
}

TEST_F(AssemblerTest, AShapeThatDependsOnDataIsAskedFor) {
  parse(R"(graph "g" {
    input %x: f32[2,3]
    input %to: i64[2]
    %y: f32[?,?] = Reshape(%x, %to)
    %z: f32[?,?] = Transpose(%y)
    output "z" = %z
  })");
  Assembler assembler = assembler_for({{2, 3}, {2}}, {true});
  EXPECT_EQ(text(assembler.next({})), "segment arena 0 {\n  b0: i64[2] = feed 1\n  read (b0)\n}\n");
  int64_t to[] = {-1, 1};
  auto value = std::make_shared<const Tensor>(*Tensor::of_ints(DType::Int64, {2}, to));
  EXPECT_EQ(text(assembler.next({value})), R"(segment arena 64 {
  b0: f32[6,1] = feed 0
  b1: f32[1,6] = arena 0
  (b1) = Transpose (b0)
  return (b1)
}
)");
}

TEST_F(AssemblerTest, PoolsWorkChannelsLastAndTransposesToThatOrderAreViews) {
  parse(R"(graph "g" {
    input %x: f32[1,4,6,6]
    %p: f32[1,4,3,3] = MaxPool(%x) {strides = [2, 2], kernel_shape = [2, 2]}
    %r: f32[1,4,3,3] = Relu(%p)
    %t: f32[1,3,3,4] = Transpose(%r) {perm = [0, 2, 3, 1]}
    output "t" = %t
  })");
  Assembler assembler = assembler_for({{1, 4, 6, 6}}, {true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 768 {
  b0: f32[1,4,6,6] = feed 0
  b1: f32[1,4,6,6] channels-last = arena 0
  b2: f32[1,4,3,3] channels-last = arena 576
  b3: f32[1,4,3,3] channels-last = arena 576
  b4: f32[1,3,3,4] = arena 576
  (b1) = MaxPool copy (b0)
  (b2) = MaxPool pool (b1)
  (b3) = Relu by map outer 0 strides 1 steps activate 0 clamp 0 inf (b2)
  return (b4)
}
)");
}

TEST_F(AssemblerTest, ElementwiseResultsOverwriteAnOperandThatIsReadForTheLastTime) {
  parse(R"(graph "g" {
    input %x: f32[4,8]
    %a: f32[4,8] = Relu(%x)
    %b: f32[4,8] = Exp(%a)
    %c: f32[4,8] = Mul(%b, %b)
    %d: f32[4,8] = Softmax(%c)
    output "d" = %d
  })");
  Assembler assembler = assembler_for({{4, 8}}, {true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 128 {
  b0: f32[4,8] = feed 0
  b1: f32[4,8] = arena 0
  b2: f32[4,8] = arena 0
  b3: f32[4,8] = arena 0
  b4: f32[4,8] = arena 0
  (b1) = Relu by map outer 0 strides 1 steps activate 0 clamp 0 inf (b0)
  (b2) = Exp by map outer 0 strides 1 steps exp 0 (b1)
  (b3) = Mul by map outer 0 strides 1 steps mul 0 0 (b2)
  (b4) = Softmax softmax (b3)
  return (b4)
}
)");
}

TEST_F(AssemblerTest, NothingIsOverwrittenThatIsReadAgainOrAtOtherPlaces) {
  // The feed; %a, which %c reads too and which is a result; %d, smaller than %e and read at other indices;
  // %f, smaller than %g. %d overwrites %b, and %g overwrites %e.
  parse(R"(graph "g" {
    const %column: i64[2] = [8,1]
    const %axes: i64[1] = [1]
    input %x: f32[1,8]
    %a: f32[1,8] = Relu(%x)
    %b: f32[1,8] = Exp(%a)
    %c: f32[1,8] = Exp(%a)
    %d: f32[1,8] = Mul(%b, %c)
    %view: f32[8,1] = Reshape(%d, %column)
    %e: f32[8,8] = Add(%d, %view)
    %f: f32[8,1] = ReduceSum(%e, %axes) {keepdims = 1}
    %g: f32[8,8] = Add(%f, %e)
    output "a" = %a
    output "g" = %g
  })");
  Assembler assembler = assembler_for({{1, 8}}, {true, true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 384 {
  b0: f32[1,8] = feed 0
  b1: f32[1,8] = arena 256
  b2: f32[1,8] = arena 320
  b3: f32[1,8] = arena 0
  b4: f32[1,8] = arena 320
  b5: f32[8,1] = arena 320
  b6: f32[8,8] = arena 0
  b7: f32[8,1] = arena 320
  b8: f32[8,8] = arena 0
  (b1) = Relu by map outer 0 strides 1 steps activate 0 clamp 0 inf (b0)
  (b2) = Exp by map outer 0 strides 1 steps exp 0 (b1)
  (b3) = Exp by map outer 0 strides 1 steps exp 0 (b1)
  (b4) = Mul by map outer 0 strides 1 1 steps mul 0 1 (b2, b3)
  (b6) = Add by map outer 1 strides 1 0 steps add 0 1 (b4, b5)
  (b7) = ReduceSum by reduce add contiguous (b6)
  (b8) = Add by map outer 1 strides 0 1 steps add 0 1 (b7, b6)
  return (b1, b8)
}
)");
}

TEST_F(AssemblerTest, AValueThatLiesTheOtherWayIsNotOverwritten) {
  // Softmax works row-major, on a copy that others might read; the sum channels last, over %p.
  parse(R"(graph "g" {
    input %x: f32[1,4,6,6]
    %p: f32[1,4,6,6] = MaxPool(%x) {kernel_shape = [1, 1]}
    %s: f32[1,4,6,6] = Softmax(%p)
    %q: f32[1,4,6,6] = Add(%p, %s)
    output "q" = %q
  })");
  Assembler assembler = assembler_for({{1, 4, 6, 6}}, {true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 1728 {
  b0: f32[1,4,6,6] = feed 0
  b1: f32[1,4,6,6] channels-last = arena 0
  b2: f32[1,4,6,6] channels-last = arena 576
  b3: f32[1,4,6,6] = arena 0
  b4: f32[1,4,6,6] = arena 1152
  b5: f32[1,4,6,6] channels-last = arena 0
  b6: f32[1,4,6,6] channels-last = arena 576
  b7: f32[1,4,6,6] = arena 0
  (b1) = MaxPool copy (b0)
  (b2) = MaxPool pool (b1)
  (b3) = Softmax copy (b2)
  (b4) = Softmax softmax (b3)
  (b5) = Add copy (b4)
  (b6) = Add by map outer 0 strides 1 1 steps add 0 1 (b2, b5)
  (b7) = Add copy (b6)
  return (b7)
}
)");
}

TEST_F(AssemblerTest, StepsOfBranchesShareStages) {
  parse(R"(graph "g" {
    input %x: f32[64,8]
    %a: f32[64,8] = Abs(%x)
    %b: f32[64,8] = Neg(%a)
    %c: f32[64,8] = Exp(%x)
    %d: f32[64,8] = Floor(%c)
    %y: f32[64,16] = Concat(%b, %d) {axis = 1}
    %z: f32[128,16] = Concat(%y, %y) {axis = 0}
    output "z" = %z
  })");
  Assembler one = assembler_for({{64, 8}}, {true}, true);
  const std::string in_order = text(one.next({}));
  EXPECT_EQ(in_order.find("|"), std::string::npos) << in_order;
  Assembler two = assembler_for({{64, 8}}, {true}, true, false, 2);
  EXPECT_EQ(text(two.next({})), R"(segment arena 12288 {
  b0: f32[64,8] = feed 0
  b1: f32[64,8] = arena 0
  b2: f32[64,8] = strides [16,1] arena 8192
  b3: f32[64,8] = arena 2048
  b4: f32[64,8] = strides [16,1] arena 8224
  b5: f32[64,16] = arena 8192
  b6: f32[128,16] = arena 0
  (b1) = Abs by map outer 0 strides 1 steps abs 0 (b0)
  | (b3) = Exp by map outer 0 strides 1 steps exp 0 (b0)
  (b2) = Neg by map outer 1 strides 1 steps neg 0 (b1)
  | (b4) = Floor by map outer 1 strides 1 steps floor 0 (b3)
  (b6) = Concat copy (b5)
  (b6) = Concat copy (b5)
  return (b6)
}
)");
}

TEST_F(AssemblerTest, FunctionsOfElementsThatAreReadOnceBecomeOneStep) {
  // %b is read twice, and %e is smaller than what reads it.
  parse(R"(graph "g" {
    const %two: f32[] = [2]
    input %x: f32[4,8]
    input %s: f32[8]
    %a: f32[4,8] = Mul(%x, %two)
    %b: f32[4,8] = Add(%a, %s)
    %c: f32[4,8] = Sigmoid(%b)
    %d: f32[4,8] = Mul(%b, %c)
    %e: f32[8] = Neg(%s)
    %f: f32[4,8] = Sub(%d, %e)
    %g: f32[4,8] = Softmax(%f)
    output "g" = %g
  })");
  Assembler assembler = assembler_for({{4, 8}, {8}}, {true}, true, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 192 {
  b0: f32[4,8] = feed 0
  b1: f32[] = literal 0
  b2: f32[8] = feed 1
  b3: f32[4,8] = arena 0
  b4: f32[8] = arena 128
  b5: f32[4,8] = arena 0
  b6: f32[4,8] = arena 0
  (b3) = Add by map outer 1 strides 1 0 1 steps mul 0 1, add 3 2 (b0, b1, b2)
  (b4) = Neg by map outer 0 strides 1 steps neg 0 (b2)
  (b5) = Sub by map outer 1 strides 1 1 steps activate 0 sigmoid 0 0, mul 0 2, sub 3 1 (b3, b4)
  (b6) = Softmax softmax (b5)
  return (b6)
}
)");
}

TEST_F(AssemblerTest, WhatOthersReadTooIsMade) {
  // %a is a result of the model, %b is read in a branch, and %c by no function of elements.
  parse(R"(graph "g" {
    input %k: bool[]
    input %x: f32[4,8]
    %a: f32[4,8] = Exp(%x)
    %b: f32[4,8] = Neg(%a)
    %c: f32[4,8] = Abs(%b)
    %d: f32[4,8] = Softmax(%c)
    %e: f32[4,8] = If(%k) do {
      %f: f32[4,8] = Neg(%b)
      yield %f
    } do {
      yield %a
    }
    output "a" = %a
    output "d" = %d
    output "e" = %e
  })");
  Assembler assembler = assembler_for({{}, {4, 8}}, {true, true, true}, true, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 384 {
  b0: f32[4,8] = feed 1
  b1: f32[4,8] = arena 0
  b2: f32[4,8] = arena 128
  b3: f32[4,8] = arena 256
  b4: f32[4,8] = arena 256
  b5: bool[] = feed 0
  (b1) = Exp by map outer 0 strides 1 steps exp 0 (b0)
  (b2) = Neg by map outer 0 strides 1 steps neg 0 (b1)
  (b3) = Abs by map outer 0 strides 1 steps abs 0 (b2)
  (b4) = Softmax softmax (b3)
  read (b5)
}
)");
}

TEST_F(AssemblerTest, OperandsOfAConcatAreMadeSideBySide) {
  // %a alone is read elsewhere too; %x is a feed and has to be copied; the longer Concat holds the shorter.
  parse(R"(graph "g" {
    input %x: f32[4,8]
    %a: f32[4,8] = Exp(%x)
    %b: f32[4,8] = Neg(%a)
    %c: f32[4,16] = Concat(%a, %b) {axis = 1}
    %d: f32[4,16] = Abs(%c)
    %e: f32[4,24] = Concat(%a, %b, %x) {axis = 1}
    %f: f32[4,24] = Sqrt(%e)
    output "d" = %d
    output "f" = %f
  })");
  Assembler assembler = assembler_for({{4, 8}}, {true, true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 640 {
  b0: f32[4,8] = feed 0
  b1: f32[4,8] = strides [24,1] arena 0
  b2: f32[4,8] = strides [24,1] arena 32
  b3: f32[4,16] = strides [24,1] arena 0
  b4: f32[4,16] = arena 384
  b5: f32[4,24] = arena 0
  b6: f32[4,24] = arena 0
  (b1) = Exp by map outer 1 strides 1 steps exp 0 (b0)
  (b2) = Neg by map outer 1 strides 1 steps neg 0 (b1)
  (b4) = Abs by map outer 1 strides 1 steps abs 0 (b3)
  (b5) = Concat copy (b0)
  (b6) = Sqrt by map outer 0 strides 1 steps sqrt 0 (b5)
  return (b4, b6)
}
)");
}

TEST_F(AssemblerTest, PartsAndPermutationsAreViews) {
  // Of a feed as well; who needs the elements dense gets a copy, as the model's caller does.
  parse(R"(graph "g" {
    const %first: i64[] = [0]
    input %x: f32[2,4,6]
    const %sizes: i64[2] = [2,4]
    %a: f32[2,4,2], %b: f32[2,4,4] = Split(%x, %sizes) {axis = 2}
    %c: f32[2,4,4] = Relu(%b)
    %d: f32[4,6] = Gather(%x, %first)
    %e: f32[6,4] = Transpose(%d)
    output "a" = %a
    output "c" = %c
    output "e" = %e
  })");
  Assembler assembler = assembler_for({{2, 4, 6}}, {true, true, true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 320 {
  b0: f32[2,4,4] = strides [24,6,1] feed 0 at 8
  b1: f32[2,4,4] = arena 0
  b2: f32[2,4,2] = strides [24,6,1] feed 0
  b3: f32[2,4,2] = arena 256
  b4: f32[6,4] = strides [1,6] feed 0
  b5: f32[6,4] = arena 128
  (b1) = Relu by map outer 1 strides 1 steps activate 0 clamp 0 inf (b0)
  (b3) = Split copy (b2)
  (b5) = Transpose copy (b4)
  return (b3, b1, b5)
}
)");
}

TEST_F(AssemblerTest, ProductsReadAndWriteHeadsWhereTheyLie) {
  parse(R"(graph "g" {
    const %to: i64[3] = [5,2,8]
    const %back: i64[2] = [5,16]
    input %x: f32[5,16]
    %h: f32[5,2,8] = Reshape(%x, %to)
    %q: f32[2,5,8] = Transpose(%h) {perm = [1,0,2]}
    %k: f32[2,8,5] = Transpose(%h) {perm = [1,2,0]}
    %s: f32[2,5,5] = MatMul(%q, %k)
    %p: f32[2,5,8] = MatMul(%s, %q)
    %o: f32[5,2,8] = Transpose(%p) {perm = [1,0,2]}
    %y: f32[5,16] = Reshape(%o, %back)
    output "y" = %y
  })");
  Assembler assembler = assembler_for({{5, 16}}, {true}, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 960 {
  b0: f32[2,5,8] = strides [8,16,1] feed 0
  b1: f32[2,8,5] channels-last = strides [8,1,16] feed 0
  b2: u8[576] = arena 0
  b3: f32[2,5,5] = arena 704
  b4: u8[384] = arena 0
  b5: f32[2,5,8] = strides [8,16,1] arena 384
  b6: f32[5,16] = arena 384
  (b2) = MatMul matmul_pack (b1)
  (b3) = MatMul by matmul tail 5 (b0, b2)
  (b4) = MatMul matmul_pack (b0)
  (b5) = MatMul by matmul tail 0 (b3, b4)
  return (b6)
}
)");
}

TEST_F(AssemblerTest, AProductGoesOnUnderItsNewDims) {
  parse(R"(graph "g" {
    const %to: i64[3] = [2,2,8]
    input %x: f32[4,8]
    input %r: f32[2,2,8]
    input %w: f32[8,8]
    %p: f32[4,8] = MatMul(%x, %w)
    %q: f32[2,2,8] = Reshape(%p, %to)
    %y: f32[2,2,8] = Add(%q, %r)
    output "y" = %y
  })");
  Assembler assembler = assembler_for({{4, 8}, {2, 2, 8}, {8, 8}}, {true}, true, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 448 {
  b0: f32[4,8] = feed 0
  b1: f32[8,8] = feed 2
  b2: u8[288] = arena 0
  b3: f32[2,2,8] = feed 1
  b4: f32[2,2,8] = arena 320
  (b2) = MatMul matmul_pack (b1)
  (b4) = MatMul by matmul tail 0 strides 1 finish add 0 1 (b0, b2, b3)
  return (b4)
}
)");
}

TEST_F(AssemblerTest, ProductsGoOnWithWhatIsMadeOfThem) {
  // Of two products the later one; a residual is overwritten, but not where it is the product's own operand.
  parse(R"(graph "g" {
    input %x: f32[4,8]
    input %w: f32[8,8]
    %r: f32[4,8] = Softmax(%x)
    %p: f32[4,8] = MatMul(%r, %w)
    %q: f32[4,8] = MatMul(%x, %w)
    %s: f32[4,8] = Add(%p, %q)
    %a: f32[4,8] = Relu(%s)
    %t: f32[4,8] = MatMul(%a, %w)
    %b: f32[4,8] = Add(%t, %a)
    %c: f32[4,8] = Softmax(%b)
    output "c" = %c
  })");
  Assembler assembler = assembler_for({{4, 8}, {8, 8}}, {true}, true, true);
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 576 {
  b0: f32[4,8] = feed 0
  b1: f32[4,8] = arena 320
  b2: f32[8,8] = feed 1
  b3: u8[288] = arena 0
  b4: f32[4,8] = arena 448
  b5: u8[288] = arena 0
  b6: f32[4,8] = arena 448
  b7: u8[288] = arena 0
  b8: f32[4,8] = arena 320
  b9: f32[4,8] = arena 320
  (b1) = Softmax softmax (b0)
  (b3) = MatMul matmul_pack (b2)
  (b4) = MatMul by matmul tail 0 (b1, b3)
  (b5) = MatMul matmul_pack (b2)
  (b6) = MatMul by matmul tail 0 strides 1 finish add 1 0, activate 2 clamp 0 inf (b0, b5, b4)
  (b7) = MatMul matmul_pack (b2)
  (b8) = MatMul by matmul tail 0 strides 1 finish add 0 1 (b6, b7, b6)
  (b9) = Softmax softmax (b8)
  return (b9)
}
)");
}

TEST_F(AssemblerTest, OnlyWhatAWantedOutputNeedsIsDone) {
  parse(R"(graph "g" {
    input %x: f32[2,3]
    %y: f32[3,2] = Transpose(%x)
    %z: f32[2,3] = Transpose(%y)
    output "y" = %y
    output "z" = %z
  })");
  Assembler assembler = assembler_for({{2, 3}}, {true, false});
  EXPECT_EQ(text(assembler.next({})), R"(segment arena 64 {
  b0: f32[2,3] = feed 0
  b1: f32[3,2] = arena 0
  (b1) = Transpose (b0)
  return (b1, _)
}
)");
}

TEST_F(AssemblerTest, AShapeThatDoesNotFitNamesTheNode) {
  parse(R"(graph "g" {
    const %to: i64[1] = [5]
    input %x: f32[n]
    %y: f32[?] = Reshape(%x, %to) "to five"
    output "y" = %y
  })");
  Assembler assembler = assembler_for({{4}}, {true});
  auto segment = assembler.next({});
  ASSERT_FALSE(segment);
  EXPECT_EQ(segment.error().node, "to five");
}

}  // namespace
}  // namespace fuselane
