// Runs segments as tests need it: in order, on one thread, with constants from a source of random floats.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "assemble/assembler.h"
#include "base/rng.h"
#include "graph/constants.h"
#include "graph/ops.h"
#include "library/kernels.h"
#include "tests/unit/assemble/interpreted_kernels.h"

namespace fuselane {

// A file of floats in [-1, 1), from which constants are cut one after another.
class RandomConstants {
 public:
  // A line of graph text that declares the next constant.
  std::string declare(std::string_view name, const Dims& dims) {
    auto count = static_cast<size_t>(*element_count(dims));
    std::string line = cat("const %", name, ": ", text_of(DType::Float32, dims), " = source 0 at ",
                           floats_.size() * sizeof(float), " length ", count * sizeof(float), "\n");
    for (size_t i = 0; i < count; ++i) floats_.push_back(static_cast<float>(2 * rng_.unit() - 1));
    return line;
  }
  MemorySource source() const {
    return MemorySource({reinterpret_cast<const uint8_t*>(floats_.data()), floats_.size() * sizeof(float)});
  }

 private:
  Rng rng_{7};
  std::vector<float> floats_;
};

// Packs as the engine does, without its cache.
class Packs final : public PackStore {
 public:
  Packs(const Graph& graph, Sources sources) : graph_(graph), sources_(sources) {}
  Result<uint32_t> pack(const Packing& packing) override {
    blocks_.push_back(TRY(Buffer::allocate(packing.bytes)));
    for (const Packing::Part& part : packing.parts) {
      std::vector<uint64_t> args((part.args.size() + 7) / 8);
      std::memcpy(args.data(), part.args.data(), part.args.size());
      auto set = [&](uint32_t at, const uint8_t* to) {
        std::memcpy(reinterpret_cast<uint8_t*>(args.data()) + at, &to, sizeof to);
      };
      std::vector<Tensor> held;
      for (const Packing::Operand& operand : part.operands) {
        held.push_back(TRY(read_constant(graph_[operand.constant], sources_)));
        set(operand.at, held.back().bytes().data() + operand.offset);
      }
      set(packing.result_at, blocks_.back().data() + part.result_offset);
      function_of(static_cast<KernelId>(packing.kernel))(args.data(), 0, part.extent);
    }
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  uint8_t* block(uint32_t index) const { return blocks_[index].data(); }

 private:
  const Graph& graph_;
  Sources sources_;
  std::vector<Buffer> blocks_;
};

// What a run has come to.
struct SegmentRun {
  Segment segment;
  std::vector<Tensor> results;

  size_t references() const {
    size_t count = 0;
    for (const Step& step : segment.steps) count += step.kernel == kNoKernel ? 1 : 0;
    return count;
  }
};

class SegmentRunner {
 public:
  SegmentRunner(const Graph& graph, Sources sources) : graph_(graph), sources_(sources) {}

  // The graph's first segment, which is to be its only one, for these feeds and all outputs.
  Result<SegmentRun> run(const std::vector<Tensor>& feeds, const AssembleOptions& options) {
    Packs packs(graph_, sources_);
    std::vector<Dims> dims;
    for (const Tensor& feed : feeds) dims.push_back(feed.dims());
    std::vector<bool> wanted(graph_.main().outputs.size(), true);
    AssembleOptions with_store = options;
    with_store.store = &kernels_;
    Assembler assembler(graph_, packs, dims, wanted, with_store);
    SegmentRun run{.segment = TRY(assembler.next({})), .results = {}};
    if (run.segment.ending != Ending::Return) return fail(ErrorCode::InternalError, "there is a follower");
    // What nothing has written shows in the results.
    std::vector<uint64_t> arena(run.segment.arena_bytes / 8 + 1, 0x7ff7777777777777u);
    std::vector<Tensor> weights;
    std::vector<TensorView> views;
    for (const PlanBuffer& buffer : run.segment.buffers) {
      uint8_t* data = nullptr;
      switch (buffer.storage) {
        case Storage::Arena:
          data = reinterpret_cast<uint8_t*>(arena.data());
          break;
        case Storage::Weight:
          weights.push_back(TRY(read_constant(graph_[ConstantId(size_t{buffer.index})], sources_)));
          data = weights.back().bytes().data();
          break;
        case Storage::Packed:
          data = packs.block(buffer.index);
          break;
        case Storage::Feed:
          data = feeds[buffer.index].bytes().data();
          break;
        case Storage::Literal:
          data = run.segment.literals[buffer.index]->bytes().data();
          break;
      }
      views.push_back({buffer.dtype, buffer.dims, data + buffer.offset, *element_count(buffer.dims), true});
    }
    TRY(walk(run.segment, views));
    for (BufferId id : run.segment.results) run.results.push_back(TRY(Tensor::copy_of(views[id.index])));
    return run;
  }

 private:
  Status walk(const Segment& segment, const std::vector<TensorView>& views) {
    std::vector<uint64_t> args = segment.args;
    auto* bytes = reinterpret_cast<uint8_t*>(args.data());
    for (const Pointer& pointer : segment.pointers) {
      const uint8_t* to = views[pointer.buffer.index].as<uint8_t>() + pointer.offset;
      std::memcpy(bytes + pointer.at, &to, sizeof to);
    }
    // The steps of a stage do not need each other: the last one first.
    std::vector<Step> steps(segment.steps.rbegin(), segment.steps.rend());
    std::ranges::stable_sort(steps, {}, &Step::stage);
    for (const Step& step : steps) {
      if (step.kernel != kNoKernel && step.kernel >= kLibraryKernels) {
        TRY(kernels_.run(segment, step, views));
        continue;
      }
      if (step.kernel != kNoKernel) {
        uint32_t code = function_of(static_cast<KernelId>(step.kernel))(bytes + step.args, 0, step.extent);
        if (code != kDone) return fail(ErrorCode::InvalidData, "a kernel met bad data");
        continue;
      }
      std::vector<TensorView> inputs, outputs;
      for (BufferId id : step.inputs) inputs.push_back(id ? views[id.index] : TensorView());
      for (BufferId id : step.outputs) outputs.push_back(id ? views[id.index] : TensorView());
      TRY(run_reference({.node = graph_[NodeId(size_t{step.node})], .inputs = inputs, .outputs = outputs}));
    }
    return {};
  }

  const Graph& graph_;
  Sources sources_;
  InterpretedKernels kernels_;
};

}  // namespace fuselane
