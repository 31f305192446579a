#include "optimize/passes.h"

namespace fuselane {
namespace {

struct PassRow {
  std::string_view text;
  std::string_view sentence;
  Result<size_t> (*run)(Graph&, PassContext&);
};
constexpr PassRow kRows[] = {
#define PASS(id, name, what) {#name, what, name},
#include "optimize/passes.def"
#undef PASS
};
static_assert(std::size(kRows) <= 32, "PassSet has a bit for each pass");

const PassRow& row_of(Pass pass) { return kRows[static_cast<size_t>(pass)]; }

}  // namespace

std::string_view text_of(Pass pass) { return row_of(pass).text; }
std::string_view sentence_of(Pass pass) { return row_of(pass).sentence; }
size_t pass_count() { return std::size(kRows); }

std::optional<Pass> pass_of_text(std::string_view text) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].text == text) return static_cast<Pass>(i);
  }
  return std::nullopt;
}

Result<size_t> run_pass(Pass pass, Graph& graph, PassContext& context) {
  return row_of(pass).run(graph, context);
}

}  // namespace fuselane
