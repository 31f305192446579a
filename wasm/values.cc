#include "values.h"

#include <string>

namespace fuselane {

using emscripten::val;

namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

val number(int64_t value) { return val(static_cast<double>(value)); }

// What val does by templates, each once: half of the code.
[[gnu::noinline]] void set(val& object, const char* key, const val& value) { object.set(key, value); }
[[gnu::noinline]] void set_text(val& object, const char* key, std::string_view value) {
  set(object, key, val(std::string(value)));
}
[[gnu::noinline]] void set_number(val& object, const char* key, int64_t value) {
  set(object, key, number(value));
}
[[gnu::noinline]] void push(val& array, const val& value) { array.call<void>("push", value); }

val plain(const PortDim& dim) {
  if (dim.extent >= 0) return number(dim.extent);
  return dim.symbol.empty() ? val::null() : val(dim.symbol);
}

val plain(const Port& port) {
  val result = val::object();
  set_text(result, "name", port.name);
  set_text(result, "type", name_of(port.dtype));
  val dims = port.ranked ? val::array() : val::null();
  for (const PortDim& dim : port.dims) push(dims, plain(dim));
  set(result, "dims", dims);
  return result;
}

val plain(const NodeName& node) {
  val result = val::object();
  set_text(result, "node", node.name);
  set_text(result, "operator", node.op);
  return result;
}

val plain(const Preparation& preparation) {
  val result = val::object();
  set(result, "import", val(preparation.import_ms));
  set(result, "optimize", val(preparation.optimize_ms));
  set(result, "weights", val(preparation.weights_ms));
  set(result, "plan", val(preparation.plan_ms));
  set(result, "emit", val(preparation.emit_ms));
  return result;
}

}  // namespace

val plain(const Error& error) {
  val result = val::object();
  set_text(result, "code", text_of(error.code));
  set_text(result, "message", error.message);
  if (!error.node.empty()) set_text(result, "node", error.node);
  if (!error.subject.empty()) set_text(result, "subject", error.subject);
  if (error.offset >= 0) set_number(result, "offset", error.offset);
  return result;
}

val failure(const Error& error) {
  val result = val::object();
  set(result, "error", plain(error));
  return result;
}

val plain(const std::vector<Port>& ports) {
  val result = val::array();
  for (const Port& port : ports) push(result, plain(port));
  return result;
}

Result<val> plain(const TensorView& view) {
  const auto bytes = bytes_of(view.dtype, view.count);
  if (!bytes || view.dtype == DType::String) {
    return fail(ErrorCode::UnsupportedModel,
                cat("tensors of ", name_of(view.dtype), " cannot leave the engine"));
  }
  val result = val::object();
  set_text(result, "type", name_of(view.dtype));
  val dims = val::array();
  for (const int64_t extent : view.dims) push(dims, number(extent));
  set(result, "dims", dims);
  set(result, "pointer", val(reinterpret_cast<uintptr_t>(view.data)));
  set_number(result, "bytes", *bytes);
  return result;
}

val plain(const Report& report) {
  val result = val::object();
  set_number(result, "nodesImported", report.nodes_imported);
  set_number(result, "nodes", report.nodes);
  set_number(result, "plans", report.plans);
  set_number(result, "segments", report.segments);
  set_number(result, "steps", report.steps);
  set_number(result, "weightBytes", report.weight_bytes);
  set_number(result, "arenaBytes", report.arena_bytes);
  set_text(result, "simd", text_of(report.simd));
  set_number(result, "kernels", report.kernels);
  set_number(result, "kernelBytes", report.kernel_bytes);
  set_number(result, "threads", report.threads);
  set_number(result, "threadsReady", report.threads_ready);
  set(result, "preparation", plain(report.preparation));
  return result;
}

val plain(const std::vector<StepReport>& steps) {
  val result = val::array();
  for (const StepReport& step : steps) {
    val item = plain(step.node);
    val nodes = val::array();
    for (const NodeName& node : step.nodes) push(nodes, plain(node));
    set(item, "nodes", nodes);
    if (step.group >= 0) set_number(item, "group", step.group);
    set_text(item, "kind", step.kind);
    set_text(item, "kernel", step.kernel);
    if (!step.schedule.empty()) set_text(item, "schedule", step.schedule);
    set_number(item, "bytesRead", step.bytes_read);
    set_number(item, "bytesWritten", step.bytes_written);
    set_number(item, "multiplyAdds", step.multiply_adds);
    set_number(item, "stage", step.stage);
    set_number(item, "chunks", step.chunks);
    if (step.milliseconds >= 0) set(item, "milliseconds", val(step.milliseconds));
    push(result, item);
  }
  return result;
}

Result<Dims> dims_of(const val& dims) {
  Dims result;
  for (const double extent : emscripten::convertJSArrayToNumberVector<double>(dims)) {
    if (!(extent >= 0 && extent <= kLargestExact)) {
      return fail(ErrorCode::InvalidArgument, "a dimension must be a whole number of 0 to 2^53");
    }
    result.push_back(static_cast<int64_t>(extent));
  }
  return result;
}

}  // namespace fuselane
