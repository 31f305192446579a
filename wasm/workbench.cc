// What the command line calls to look into the compiler (tools/cli/workbench.ts declares the same). A program
// of its own, for Node: pages do not download parsers and interpreters. Nothing is thrown: a result is an
// object, {error} when the call failed.

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

std::vector<int64_t> sizes_of(const val& sizes) {
  const auto numbers = emscripten::convertJSArrayToNumberVector<double>(sizes);
  return {numbers.begin(), numbers.end()};
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
val assemble(std::string text, val options) {
  return answer([&]() -> Result<val> {
    const std::vector<uint8_t> bytes = TRY(workbench::assemble(text, options_of(options)));
    const val view(emscripten::typed_memory_view(bytes.size(), bytes.data()));
    return object("bytes", val::global("Uint8Array").new_(view));
  });
}

// `buffers` are arrays of numbers; {buffers} are Float32Arrays of what they are afterwards.
val interpret(std::string text, val options, val buffers, val sizes) {
  return answer([&]() -> Result<val> {
    std::vector<std::vector<float>> memory;
    for (const val& buffer : emscripten::vecFromJSArray<val>(buffers))
      memory.push_back(emscripten::convertJSArrayToNumberVector<float>(buffer));
    if (auto status = workbench::interpret(text, options_of(options), memory, sizes_of(sizes)); !status)
      return std::unexpected(std::move(status.error()));
    val results = val::array();
    for (const std::vector<float>& buffer : memory) {
      const val view(emscripten::typed_memory_view(buffer.size(), buffer.data()));
      results.call<void>("push", val::global("Float32Array").new_(view));
    }
    return object("buffers", results);
  });
}

val extent(std::string text, val options, val sizes) {
  return answer([&]() -> Result<val> {
    const int64_t extent = TRY(workbench::extent(text, options_of(options), sizes_of(sizes)));
    return object("extent", val(static_cast<double>(extent)));
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(workbench) {
  emscripten::function("show", &show);
  emscripten::function("assemble", &assemble);
  emscripten::function("interpret", &interpret);
  emscripten::function("extent", &extent);
}

}  // namespace fuselane
