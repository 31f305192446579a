#include "emit/wat.h"

#include <algorithm>
#include <map>
#include <set>

#include "emit/format.h"
#include "emit/wat_function.h"

namespace fuselane {
namespace {

using namespace wasm_format;
using low::Type;

// Of one section or another, for each number.
using Names = std::map<uint32_t, std::string>;

class ModulePrinter {
 public:
  explicit ModulePrinter(std::span<const uint8_t> bytes) : reader_(bytes) {}

  Result<std::string> run() {
    auto preamble = TRY(reader_.take(kPreamble.size()));
    if (!std::ranges::equal(preamble, kPreamble)) return reader_.no("no wasm of version 1");
    while (!reader_.at_end()) {
      uint8_t id = TRY(reader_.byte());
      Reader section = TRY(reader_.sized());
      TRY(read(id, section));
    }
    name_functions();
    std::string out = "(module\n";
    append(out, memory_);
    if (bodies_.size() != function_types_.size()) return reader_.no("as many bodies as functions");
    for (size_t i = 0; i < bodies_.size(); ++i) TRY(function(out, i));
    append(out, ")\n");
    return out;
  }

 private:
  Status read(uint8_t id, Reader& section) {
    switch (id) {
      case kTypeSection:
        return types(section);
      case kImportSection:
        return import(section);
      case kFunctionSection:
        return functions(section);
      case kExportSection:
        return exports(section);
      case kCodeSection:
        return code(section);
      case kCustomSection:
        return names(section);
      default:
        return section.no("a section that is none of those that are written here");
    }
  }

  Result<Type> type(Reader& from) {
    int type = 0x80 - TRY(from.byte());
    if (type < static_cast<int>(Type::I32) || type > static_cast<int>(Type::V128))
      return from.no("a type that is none of the five");
    return static_cast<Type>(type);
  }

  Status types(Reader& section) {
    for (uint32_t count = TRY(section.number()); count > 0; --count) {
      FunctionType it;
      if (TRY(section.byte()) != kFunctionType) return section.no("a type that is not of a function");
      for (uint32_t parameters = TRY(section.number()); parameters > 0; --parameters) {
        it.parameters.push_back(TRY(type(section)));
      }
      uint32_t results = TRY(section.number());
      if (results > 1) return section.no("several results");
      if (results == 1) it.result = TRY(type(section));
      types_.push_back(std::move(it));
    }
    return {};
  }

  Status import(Reader& section) {
    uint32_t count = TRY(section.number());
    auto from = TRY(section.text());
    auto name = TRY(section.text());
    if (count != 1 || TRY(section.byte()) != kExternMemory)
      return section.no("one import, a memory, is expected");
    bool shared = TRY(section.byte()) == kSharedLimits;
    append(memory_, "  (import ");
    append_quoted(memory_, from);
    append(memory_, " ");
    append_quoted(memory_, name);
    append(memory_, cat(" (memory ", TRY(section.number())));
    if (shared) append(memory_, cat(" ", TRY(section.number()), " shared"));
    append(memory_, "))\n");
    return {};
  }

  Status functions(Reader& section) {
    for (uint32_t count = TRY(section.number()); count > 0; --count) {
      uint32_t type = TRY(section.number());
      if (type >= types_.size()) return section.no("a type that there is not");
      function_types_.push_back(types_[type]);
    }
    return {};
  }

  Status exports(Reader& section) {
    for (uint32_t count = TRY(section.number()); count > 0; --count) {
      auto name = TRY(section.text());
      if (TRY(section.byte()) != kExternFunction) return section.no("an export that is no function");
      exports_.emplace(TRY(section.number()), name);
    }
    return {};
  }

  Status code(Reader& section) {
    for (uint32_t count = TRY(section.number()); count > 0; --count) bodies_.push_back(TRY(section.sized()));
    return {};
  }

  Status names(Reader& section) {
    if (TRY(section.text()) != "name") return {};
    while (!section.at_end()) {
      uint8_t id = TRY(section.byte());
      Reader part = TRY(section.sized());
      if (id == kFunctionNames) names_of_functions_ = TRY(map(part));
      if (id != kLocalNames) continue;
      for (uint32_t count = TRY(part.number()); count > 0; --count) {
        uint32_t function = TRY(part.number());
        names_of_locals_[function] = TRY(map(part));
      }
    }
    return {};
  }

  Result<Names> map(Reader& from) {
    Names names;
    for (uint32_t count = TRY(from.number()); count > 0; --count) {
      uint32_t number = TRY(from.number());
      names[number] = TRY(from.text());
    }
    return names;
  }

  // $name with what the format allows in it, unlike those before it; the number where there is no name.
  static std::string written(const Names& names, uint32_t number, std::set<std::string>& taken) {
    auto at = names.find(number);
    if (at == names.end() || at->second.empty()) return cat(number);
    std::string name = "$" + at->second;
    for (char& c : name) {
      bool plain = (c > ' ' && c < 0x7f) && std::string_view("\"(),;[]{}").find(c) == std::string_view::npos;
      if (!plain) c = '_';
    }
    while (!taken.insert(name).second) append(name, cat(".", number));
    return name;
  }

  void name_functions() {
    std::set<std::string> taken;
    functions_.types = function_types_;
    for (uint32_t i = 0; i < function_types_.size(); ++i) {
      functions_.names.push_back(written(names_of_functions_, i, taken));
    }
  }

  Status function(std::string& out, size_t i) {
    auto number = static_cast<uint32_t>(i);
    const FunctionType& type = function_types_[i];
    append(out, "  (func");
    if (functions_.names[i][0] == '$') append(out, cat(" ", functions_.names[i]));
    if (auto at = exports_.find(number); at != exports_.end()) {
      append(out, " (export ");
      append_quoted(out, at->second);
      append(out, ")");
    }
    std::vector<Type> locals = type.parameters;
    TRY(read_locals(bodies_[i], locals));
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (uint32_t local = 0; local < locals.size(); ++local) {
      names.push_back(written(names_of_locals_[number], local, taken));
      if (local == type.parameters.size()) end_head(out, type);
      append(out, local < type.parameters.size() ? " (param " : "    (local ");
      if (names.back()[0] == '$') append(out, cat(names.back(), " "));
      append(out, cat(low::name_of(locals[local]), ")"));
      if (local >= type.parameters.size()) append(out, "\n");
    }
    if (locals.size() == type.parameters.size()) end_head(out, type);
    TRY(append_body(out, bodies_[i], functions_, type, names));
    append(out, "  )\n");
    return {};
  }

  static void end_head(std::string& out, const FunctionType& type) {
    if (type.result != Type::None) append(out, cat(" (result ", low::name_of(type.result), ")"));
    append(out, "\n");
  }

  Status read_locals(Reader& body, std::vector<Type>& locals) {
    for (uint32_t groups = TRY(body.number()); groups > 0; --groups) {
      uint32_t count = TRY(body.number());
      if (count > 50000) return body.no("more than 50000 locals");
      locals.insert(locals.end(), count, TRY(type(body)));
    }
    return {};
  }

  Reader reader_;
  std::vector<FunctionType> types_;
  std::vector<FunctionType> function_types_;
  std::vector<Reader> bodies_;
  std::string memory_;
  Functions functions_;
  Names exports_;
  Names names_of_functions_;
  std::map<uint32_t, Names> names_of_locals_;
};

}  // namespace

Result<std::string> wat_of(std::span<const uint8_t> bytes) { return ModulePrinter(bytes).run(); }

}  // namespace fuselane
