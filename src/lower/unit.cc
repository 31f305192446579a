#include "lower/unit.h"

#include <algorithm>
#include <string_view>

#include "base/printer.h"
#include "low/build.h"

namespace fuselane::lower_ir {

using low::Builder;
using low::FunctionId;
using low::Op;
using low::RegisterId;
using low::Type;

namespace {

constexpr uint8_t kLanes = 4;
constexpr uint32_t kLaneBytes = 4;

void build_load(low::Function& function) {
  Builder b(function);
  RegisterId address = b.parameter(Type::I32, "address");
  RegisterId count = b.parameter(Type::I32, "count");
  function.result = Type::V128;
  RegisterId vector = b.reg(Type::V128, "vector");
  b.begin_if(b.op(Op::I32GeS, count, b.i32(kLanes)));
  b.give(b.load(Op::V128Load, address));
  b.end();
  for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) {
    b.begin_if(b.op(Op::I32GtS, count, b.i32(lane)));
    b.set(vector, b.load_lane(Op::V128Load32Lane, lane, address, vector, lane * kLaneBytes));
  }
  for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) b.end();
  b.give(vector);
}

void build_store(low::Function& function) {
  Builder b(function);
  RegisterId address = b.parameter(Type::I32, "address");
  RegisterId vector = b.parameter(Type::V128, "vector");
  RegisterId count = b.parameter(Type::I32, "count");
  b.begin_if(b.op(Op::I32GeS, count, b.i32(kLanes)));
  b.store(Op::V128Store, address, vector);
  b.give();
  b.end();
  for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) {
    b.begin_if(b.op(Op::I32GtS, count, b.i32(lane)));
    b.store(Op::V128Store32Lane, address, vector, lane * kLaneBytes, lane);
  }
  for (uint8_t lane = 0; lane + 1 < kLanes; ++lane) b.end();
}

}  // namespace

FunctionId Unit::add(std::string name, bool exported) {
  return add(low::Function{.name = std::move(name), .exported = exported});
}

FunctionId Unit::add(low::Function function) {
  auto is_taken = [&](std::string_view wanted) {
    return std::ranges::any_of(functions, [&](const auto& function) { return function->name == wanted; });
  };
  const size_t length = function.name.size();
  for (int number = 2; is_taken(function.name); ++number) {
    function.name.resize(length);
    append(function.name, cat(" ", number));
  }
  functions.push_back(std::make_unique<low::Function>(std::move(function)));
  // That of a small tile; lists that grow from nothing copy what they have again and again.
  functions.back()->exprs.reserve(256);
  functions.back()->registers.reserve(64);
  functions.back()->body.reserve(128);
  return FunctionId(functions.size() - 1);
}

FunctionId Unit::load_lanes() {
  if (!load_lanes_) {
    load_lanes_ = add("load lanes", false);
    build_load(*functions[load_lanes_.index]);
  }
  return load_lanes_;
}

FunctionId Unit::store_lanes() {
  if (!store_lanes_) {
    store_lanes_ = add("store lanes", false);
    build_store(*functions[store_lanes_.index]);
  }
  return store_lanes_;
}

}  // namespace fuselane::lower_ir
