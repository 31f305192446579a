#include "values.h"

#include <string>

namespace fuselane {

using emscripten::val;

namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

val text(std::string_view value) { return val(std::string(value)); }
val number(int64_t value) { return val(static_cast<double>(value)); }

val plain(const PortDim& dim) {
  if (dim.extent >= 0) return number(dim.extent);
  return dim.symbol.empty() ? val::null() : val(dim.symbol);
}

val plain(const Port& port) {
  val result = val::object();
  result.set("name", port.name);
  result.set("type", text(name_of(port.dtype)));
  val dims = port.ranked ? val::array() : val::null();
  for (const PortDim& dim : port.dims) dims.call<void>("push", plain(dim));
  result.set("dims", dims);
  return result;
}

}  // namespace

val plain(const Error& error) {
  val result = val::object();
  result.set("code", text(text_of(error.code)));
  result.set("message", error.message);
  if (!error.node.empty()) result.set("node", error.node);
  if (!error.subject.empty()) result.set("subject", error.subject);
  if (error.offset >= 0) result.set("offset", number(error.offset));
  return result;
}

val failure(const Error& error) {
  val result = val::object();
  result.set("error", plain(error));
  return result;
}

val plain(const std::vector<Port>& ports) {
  val result = val::array();
  for (const Port& port : ports) result.call<void>("push", plain(port));
  return result;
}

Result<val> plain(const TensorView& view) {
  const auto bytes = bytes_of(view.dtype, view.count);
  if (!bytes || view.dtype == DType::String) {
    return fail(ErrorCode::UnsupportedModel,
                cat("tensors of ", name_of(view.dtype), " cannot leave the engine"));
  }
  val result = val::object();
  result.set("type", text(name_of(view.dtype)));
  val dims = val::array();
  for (const int64_t extent : view.dims) dims.call<void>("push", number(extent));
  result.set("dims", dims);
  result.set("pointer", reinterpret_cast<uintptr_t>(view.data));
  result.set("bytes", number(*bytes));
  return result;
}

val plain(const Report& report) {
  val result = val::object();
  result.set("nodesImported", number(report.nodes_imported));
  result.set("nodes", number(report.nodes));
  result.set("plans", number(report.plans));
  result.set("segments", number(report.segments));
  result.set("steps", number(report.steps));
  result.set("weightBytes", number(report.weight_bytes));
  result.set("arenaBytes", number(report.arena_bytes));
  result.set("simd", text(text_of(report.simd)));
  result.set("kernels", number(report.kernels));
  result.set("kernelBytes", number(report.kernel_bytes));
  result.set("threads", number(report.threads));
  result.set("threadsReady", number(report.threads_ready));
  return result;
}

val plain(const std::vector<ProfiledStep>& steps) {
  val result = val::array();
  for (const ProfiledStep& step : steps) {
    val item = val::object();
    item.set("node", step.node);
    item.set("operator", text(step.op));
    item.set("kernel", text(step.kernel));
    item.set("milliseconds", step.milliseconds);
    item.set("multiplyAdds", number(step.multiply_adds));
    result.call<void>("push", item);
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
