// emit_cases SEED COUNT: prints as JSON the cases of every instruction and COUNT random modules, half of them
// relaxed: bytes and memories in hexadecimal, what is at the begin of the memory before and after each call,
// whether it trapped, and for relaxed ones what is there where madd rounds twice.
#include <cstdio>
#include <cstdlib>

#include "base/printer.h"
#include "emit/emit.h"
#include "emit/wat.h"
#include "low/interpret.h"
#include "low/parse.h"
#include "low/print.h"
#include "low/verify.h"
#include "tests/support/emit_cases/cases.h"
#include "tests/support/hex.h"

namespace fuselane::emit_cases {
namespace {

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// "after": "…", "trap": "…" of a call; the second may be empty.
std::string outcome(const Case& it, const Call& call, bool fused) {
  std::vector<uint8_t> memory(kPage);
  std::copy(call.before.begin(), call.before.end(), memory.begin());
  size_t function = 0;
  while (it.module.functions[function].name != call.function) ++function;
  low::Interpretation how{.memory = memory, .fuel = 1'000'000, .fused_madd = fused};
  auto result = low::interpret(it.module, low::FunctionId(function), {}, how);
  std::string trap = result ? "" : result.error().message;
  if (trap.find("no fuel") != std::string::npos) give_up(cat("a random module does not end: ", trap));
  std::string text = cat("\"after\":\"", hex(std::span(memory).first(kWindow)), "\",\"trap\":");
  append_quoted(text, trap);
  return text;
}

void print_case(const Case& it, bool relaxed) {
  auto status = low::verify(it.module, relaxed ? low::Feature::RelaxedSimd : low::Feature::Simd);
  if (!status) give_up(status.error().message);
  std::string text = low::print(it.module);
  auto again = low::parse(text);
  if (!again) give_up(cat(again.error().message, "\n", text));
  if (low::print(*again) != text || emit(*again) != emit(it.module))
    give_up(cat("changed by its text:\n", text));
  auto bytes = emit(it.module);
  auto wat = wat_of(bytes);
  if (!wat) give_up(wat.error().message);
  std::string out = cat("{\"name\":\"", it.name, "\",\"relaxed\":", relaxed ? "true" : "false",
                        ",\"shared\":", it.module.shared_memory ? "true" : "false", ",\"bytes\":\"",
                        hex(bytes), "\",\"wat\":");
  append_quoted(out, *wat);
  append(out, ",\"calls\":[");
  for (const Call& call : it.calls) {
    if (out.back() == '}') append(out, ",");
    append(out, cat("{\"function\":\"", call.function, "\",\"before\":\"", hex(call.before), "\",",
                    outcome(it, call, true)));
    if (relaxed) append(out, cat(",\"twice\":{", outcome(it, call, false), "}"));
    append(out, "}");
  }
  std::printf("%s]}", out.c_str());
}

}  // namespace
}  // namespace fuselane::emit_cases

int main(int count, char** arguments) {
  using namespace fuselane;
  using namespace fuselane::emit_cases;
  if (count != 3) give_up("emit_cases SEED COUNT");
  Rng rng(std::strtoull(arguments[1], nullptr, 10));
  std::printf("[");
  print_case(every_instruction(false, rng), false);
  std::printf(",\n");
  print_case(every_instruction(true, rng), true);
  for (long i = std::strtol(arguments[2], nullptr, 10); i > 0; --i) {
    bool relaxed = i % 2 == 0;
    std::printf(",\n");
    print_case(random_module(relaxed, rng), relaxed);
  }
  std::printf("]\n");
  return 0;
}
