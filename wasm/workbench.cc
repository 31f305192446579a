// What the command line calls to look into the compiler (tools/cli/workbench.ts declares the same). A program
// of its own: pages do not download parsers and interpreters. Nothing is thrown: a result is an object,
// {error} when the call failed.

#include "engine/workbench.h"

#include <emscripten/bind.h>

#include "values.h"

namespace fuselane {
namespace {

using emscripten::val;

workbench::Options options_of(const val& options) {
  const auto simd = simd_level_of_text(options["simd"].as<std::string>());
  return {
      .target = {.simd = simd.value_or(SimdLevel::None), .shared_memory = options["sharedMemory"].as<bool>()},
      .schedule = options["schedule"].as<std::string>()};
}

template <class T>
val array_of(const std::vector<T>& values) {
  val result = val::array();
  for (const T& value : values) result.call<void>("push", val(value));
  return result;
}

val numbers(const std::vector<int64_t>& values) {
  return array_of(std::vector<double>(values.begin(), values.end()));
}

template <class Body>
val answer(const Body& body) {
  Result<val> result = fail(ErrorCode::OutOfMemory, "there is no room for this");
  (void)has_memory_for([&] { result = body(); });
  return result ? *result : failure(result.error());
}

val object(const char* key, const val& value) {
  val result = val::object();
  result.set(key, value);
  return result;
}

val show(std::string text, std::string level, val options) {
  return answer([&]() -> Result<val> {
    return object("text", val(TRY(workbench::show(text, level, options_of(options)))));
  });
}

// {bytes}: a Uint8Array of its own.
val bytes_of(const std::vector<uint8_t>& bytes) {
  const val view(emscripten::typed_memory_view(bytes.size(), bytes.data()));
  return object("bytes", val::global("Uint8Array").new_(view));
}

val assemble(std::string text, val options) {
  return answer(
      [&]() -> Result<val> { return bytes_of(TRY(workbench::assemble(text, options_of(options)))); });
}

val make(std::string task, val options) {
  return answer([&]() -> Result<val> { return bytes_of(TRY(workbench::make(task, options_of(options)))); });
}

val plain(const workbench::Call& call) {
  std::vector<val> buffers, sizes;
  for (const workbench::Call::Buffer& buffer : call.buffers) {
    val& item = buffers.emplace_back(object("name", val(buffer.name)));
    item.set("read", buffer.read);
    item.set("written", buffer.written);
    item.set("dims", numbers(buffer.dims));
    item.set("strides", numbers(buffer.strides));
    item.set("elements", static_cast<double>(buffer.elements));
  }
  for (const auto& [name, value] : call.sizes) {
    val& item = sizes.emplace_back(object("name", val(name)));
    item.set("value", static_cast<double>(value));
  }
  val result = object("buffers", array_of(buffers));
  result.set("sizes", array_of(sizes));
  result.set("extent", static_cast<double>(call.extent));
  return result;
}

// `sizes` are [{name, value}].
val call(std::string text, val options, val sizes) {
  return answer([&]() -> Result<val> {
    std::vector<std::pair<std::string, int64_t>> given;
    for (const val& size : emscripten::vecFromJSArray<val>(sizes)) {
      given.emplace_back(size["name"].as<std::string>(), static_cast<int64_t>(size["value"].as<double>()));
    }
    return plain(TRY(workbench::call_of(text, options_of(options), given)));
  });
}

// `buffers` are arrays of numbers; {buffers} are Float32Arrays of what they are afterwards.
val interpret(std::string text, val options, val buffers, val sizes) {
  return answer([&]() -> Result<val> {
    std::vector<std::vector<float>> memory;
    for (const val& buffer : emscripten::vecFromJSArray<val>(buffers))
      memory.push_back(emscripten::convertJSArrayToNumberVector<float>(buffer));
    const auto values = emscripten::convertJSArrayToNumberVector<double>(sizes);
    const std::vector<int64_t> integers(values.begin(), values.end());
    TRY(workbench::interpret(text, options_of(options), memory, integers));
    std::vector<val> results;
    for (const std::vector<float>& buffer : memory) {
      const val view(emscripten::typed_memory_view(buffer.size(), buffer.data()));
      results.push_back(val::global("Float32Array").new_(view));
    }
    return object("buffers", array_of(results));
  });
}

// `memory` is a Uint8Array; {memory} another one, of what it is afterwards.
val interpret_low(std::string text, val options, val memory, int arguments, int extent) {
  return answer([&]() -> Result<val> {
    auto bytes = emscripten::convertJSArrayToNumberVector<uint8_t>(memory);
    TRY(workbench::interpret_low(text, options_of(options), bytes, arguments, extent));
    const val view(emscripten::typed_memory_view(bytes.size(), bytes.data()));
    return object("memory", val::global("Uint8Array").new_(view));
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(workbench) {
  emscripten::function("show", &show);
  emscripten::function("assemble", &assemble);
  emscripten::function("make", &make);
  emscripten::function("interpret", &interpret);
  emscripten::function("interpretLow", &interpret_low);
  emscripten::function("call", &call);
}

}  // namespace fuselane
