// Which steps become of a convolution that may be computed by Winograd's filtering, and of what stands behind
// it; what becomes of both where there are no kernels for it.
#include <gtest/gtest.h>

#include "graph/parse.h"
#include "run_segment.h"

namespace fuselane {
namespace {

// Packs nothing: plans are read here, not run.
class AnyPacks final : public PackStore {
 public:
  Result<uint32_t> pack(const Packing&) override { return 0; }
};

// A store without kernels for products of matrices, if so set; those of windows it has.
class SomeKernels final : public KernelStore {
 public:
  explicit SomeKernels(bool has_products) : has_products_(has_products) {}
  std::optional<GeneratedKernel> kernel(const loop::Task& task, const KernelLimits& limits) override {
    if (!has_products_ && std::holds_alternative<loop::MatMulTask>(task)) return std::nullopt;
    return kernels_.kernel(task, limits);
  }
  std::string_view family(uint32_t number) const {
    std::string_view key = kernels_.key(number);
    return key.substr(0, key.find(' '));
  }

 private:
  InterpretedKernels kernels_;
  bool has_products_;
};

// Kernels of the steps for a 3x3 convolution %c of 32 channels to 32, with zeros around, and these lines, the
// last of which gives %y.
std::string steps_of(std::string_view lines, bool winograd = true, bool has_products = true) {
  RandomConstants constants;
  std::string text = "graph \"g\" {\nsource \"f\"\ninput %x: f32[1,32,12,12]\n";
  append(text, constants.declare("w", {32, 32, 3, 3}));
  append(text, constants.declare("column", {32, 1, 1}));
  append(text, "%c: f32[1,32,12,12] = Conv(%x, %w) {pads = [1,1,1,1]}\n");
  append(text, "%f: f32[1,32,12,12] = MaxPool(%x) {kernel_shape = [1,1]}\n");
  append(text, cat(lines, "output \"y\" = %y\n}"));
  auto graph = parse_graph(text);
  if (!graph) return graph.error().message;
  AnyPacks packs;
  SomeKernels kernels(has_products);
  Assembler assembler(*graph, packs, {{1, 32, 12, 12}}, {true}, {.store = &kernels, .winograd = winograd});
  auto segment = assembler.next({});
  if (!segment) return segment.error().message;
  std::string steps;
  for (const Step& step : segment->steps) {
    if (!steps.empty()) steps += ", ";
    if (step.kernel == kNoKernel) {
      steps += "reference";
    } else if (step.kernel >= kLibraryKernels) {
      steps += kernels.family(step.kernel);
    } else {
      steps += name_of(static_cast<KernelId>(step.kernel));
    }
  }
  return steps;
}

constexpr std::string_view kAdd = "%y: f32[1,32,12,12] = Add(%c, %f)\n";
constexpr std::string_view kRelu = "%y: f32[1,32,12,12] = Relu(%c)\n";
constexpr std::string_view kAddRelu = R"(
  %a: f32[1,32,12,12] = Add(%f, %c)
  %y: f32[1,32,12,12] = Relu(%a)
)";
constexpr std::string_view kMul = "%y: f32[1,32,12,12] = Mul(%c, %column)\n";
constexpr std::string_view kReluAdd = R"(
  %r: f32[1,32,12,12] = Relu(%c)
  %y: f32[1,32,12,12] = Add(%r, %f)
)";

// x is copied to channels last before, the result to row-major after.
TEST(WinogradPlan, AnAdditionAndAnActivationAreDoneWithTheTiles) {
  EXPECT_EQ(steps_of(kRelu), "copy, winograd_in, matmul, winograd_out, copy");
  for (auto lines : {kAdd, kAddRelu})
    EXPECT_EQ(steps_of(lines), "copy, pool, winograd_in, matmul, winograd_out, copy");
}

TEST(WinogradPlan, WhatElseStandsBehindItIsAStepOfItsOwn) {
  for (auto lines : {kMul, kReluAdd}) {
    std::string steps = steps_of(lines);
    EXPECT_NE(steps.find("winograd_in, matmul, winograd_out, map"), std::string::npos) << steps;
    EXPECT_EQ(steps.find("reference"), std::string::npos) << steps;
  }
}

TEST(WinogradPlan, WithoutKernelsForTheProductsConvolutionsAreDirect) {
  for (auto lines : {kAdd, kRelu, kAddRelu, kMul, kReluAdd}) {
    const std::string direct = steps_of(lines, false);
    EXPECT_NE(direct.find("frame, conv"), std::string::npos) << direct;
    EXPECT_EQ(direct.find("winograd"), std::string::npos) << direct;
    const std::string steps = steps_of(lines, true, false);
    EXPECT_NE(steps.find("frame, conv"), std::string::npos) << steps;
    EXPECT_EQ(steps.find("winograd"), std::string::npos) << steps;
    EXPECT_EQ(steps.find("reference"), std::string::npos) << steps;
  }
}

}  // namespace
}  // namespace fuselane
