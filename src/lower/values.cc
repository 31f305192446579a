#include "lower/values.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/printer.h"

namespace fuselane::lower_ir {

using loop::Combine;
using loop::DType;
using loop::Operation;
using loop::Storage;
using loop::Value;
using loop::ValueId;
using loop::ValueKind;
using low::Op;
using low::Type;

namespace {

constexpr int64_t kElementBytes = 4;
// Values that a tile holds in registers: lists that grow one by one copy what they have.
constexpr size_t kUsually = 64;

struct Row {
  Op scalar;
  Op vector;
};

// The instruction of an operation, of MulAdd that of its first half. A comparison's scalar result is 0 or 1
// and has yet to become a truth; of PMin and PMax the scalar is the comparison.
Row row_of(Operation operation) {
  switch (operation) {
    case Operation::Add:
      return {Op::F32Add, Op::F32x4Add};
    case Operation::Sub:
      return {Op::F32Sub, Op::F32x4Sub};
    case Operation::Mul:
      return {Op::F32Mul, Op::F32x4Mul};
    case Operation::Div:
      return {Op::F32Div, Op::F32x4Div};
    case Operation::MulAdd:
      return {Op::F32Mul, Op::F32x4Mul};
    case Operation::Min:
      return {Op::F32Min, Op::F32x4Min};
    case Operation::Max:
      return {Op::F32Max, Op::F32x4Max};
    case Operation::PMin:
      return {Op::F32Lt, Op::F32x4Pmin};
    case Operation::PMax:
      return {Op::F32Lt, Op::F32x4Pmax};
    case Operation::Neg:
      return {Op::F32Neg, Op::F32x4Neg};
    case Operation::Abs:
      return {Op::F32Abs, Op::F32x4Abs};
    case Operation::Sqrt:
      return {Op::F32Sqrt, Op::F32x4Sqrt};
    case Operation::Floor:
      return {Op::F32Floor, Op::F32x4Floor};
    case Operation::Ceil:
      return {Op::F32Ceil, Op::F32x4Ceil};
    case Operation::Nearest:
      return {Op::F32Nearest, Op::F32x4Nearest};
    case Operation::Less:
      return {Op::F32Lt, Op::F32x4Lt};
    case Operation::LessEqual:
      return {Op::F32Le, Op::F32x4Le};
    case Operation::Equal:
      return {Op::F32Eq, Op::F32x4Eq};
    case Operation::IAdd:
      return {Op::I32Add, Op::I32x4Add};
    case Operation::ISub:
      return {Op::I32Sub, Op::I32x4Sub};
    case Operation::And:
      return {Op::I32And, Op::V128And};
    case Operation::Or:
      return {Op::I32Or, Op::V128Or};
    case Operation::Xor:
      return {Op::I32Xor, Op::V128Xor};
    case Operation::Shl:
      return {Op::I32Shl, Op::I32x4Shl};
    case Operation::ShrS:
      return {Op::I32ShrS, Op::I32x4ShrS};
    case Operation::ToInt:
      return {Op::I32TruncSatF32S, Op::I32x4TruncSatF32x4S};
    case Operation::ToFloat:
      return {Op::F32ConvertI32S, Op::F32x4ConvertI32x4S};
    case Operation::AsInt:
      return {Op::I32ReinterpretF32, Op::V128And};
    case Operation::AsFloat:
      return {Op::F32ReinterpretI32, Op::V128And};
  }
  return {Op::F32Add, Op::F32x4Add};
}

bool is_comparison(Operation operation) {
  return operation == Operation::Less || operation == Operation::LessEqual || operation == Operation::Equal;
}

bool is_shift(Operation operation) { return operation == Operation::Shl || operation == Operation::ShrS; }

// Bits that stay as they are.
bool is_view(Operation operation) { return operation == Operation::AsInt || operation == Operation::AsFloat; }

Type type_of(DType dtype) { return dtype == DType::F32 ? Type::F32 : Type::I32; }

}  // namespace

Values::Values(Unit& unit, Frame& frame)
    : unit_(unit),
      frame_(frame),
      b(frame.b),
      fuses_(unit.target.simd == SimdLevel::Relaxed),
      uses_(frame.kernel().values.size()),
      known_(uses_.size()),
      steps_(frame.kernel().buffers.size()),
      loads_(uses_.size()),
      registers_(frame.kernel().buffers.size()) {
  const loop::Kernel& kernel = frame.kernel();
  for (const Value& value : kernel.values) {
    for (ValueId operand : value.operands) ++uses_[operand.index];
  }
}

Status Values::status() const {
  if (failure_) return std::unexpected(*failure_);
  return {};
}

void Values::decline(std::string sentence) {
  if (!failure_)
    failure_ = Error(ErrorCode::UnsupportedModel,
                     cat("kernel ", frame_.kernel().name, " cannot be lowered: ", sentence));
}

void Values::next_point(const Lanes& lanes) {
  lanes_ = lanes;
  std::ranges::fill(known_, RegisterId());
  result_ = {};
  if (!lanes.is_vector()) return;
  if (!lane_) lane_ = frame_.primitive({});
  frame_.bind(lanes.symbol, lane_);
}

// Strides depend on sizes only, and so stay as they are.
const Index& Values::step(loop::BufferId id, size_t dimension) {
  std::vector<Index>& steps = steps_[id.index];
  if (steps.size() == dimension)
    steps.push_back(frame_.resolve(frame_.kernel()[id].strides[dimension]) *= kElementBytes);
  return steps[dimension];
}

Values::Access Values::access(const std::vector<Index>& indices) const {
  Access access;
  for (const Index& index : indices) add_variables(index, false, access);
  return access;
}

void Values::add_variables(const Index& index, bool is_definition, Access& access) const {
  for (const loop::Term& term : index.terms()) {
    for (SymbolId factor : term.factors) {
      const loop::Symbol& symbol = frame_.kernel()[factor];
      if (symbol.kind != loop::SymbolKind::Loop && symbol.kind != loop::SymbolKind::Start) {
        add_variables(symbol.a, true, access);
        add_variables(symbol.b, true, access);
        continue;
      }
      const auto at =
          static_cast<size_t>(std::ranges::find(access.variables, factor) - access.variables.begin());
      if (at == access.variables.size()) {
        access.variables.push_back(factor);
        access.are_in_definitions.push_back(false);
      }
      if (is_definition) access.are_in_definitions[at] = true;
    }
  }
}

int64_t Values::version(const Access& access, size_t i) const {
  const SymbolId variable = access.variables[i];
  const bool stays = !access.are_in_definitions[i] && frame_.binding(variable).is_constant();
  return stays ? kWrittenOut : frame_.version(variable);
}

Values::Place Values::general_place(const Access& access, loop::BufferId id,
                                    const std::vector<Index>& indices) {
  std::vector<SymbolId> kept;
  for (size_t i = 0; i < access.variables.size(); ++i) {
    if (version(access, i) == kWrittenOut) kept.push_back(access.variables[i]);
  }
  Place result;
  for (size_t i = 0; i < indices.size(); ++i)
    result.address += frame_.resolve(indices[i], kept) * step(id, i);
  if (lanes_.is_vector()) {
    result.is_splat = !result.address.uses(lane_);
    bool is_linear = result.address.is_linear_in(lane_);
    if (!result.is_splat && (!is_linear || result.address.coefficient_of(lane_) != Index(kElementBytes)))
      decline(cat("the vectors of ", frame_.kernel()[id].name, " are not of consecutive elements"));
    if (!result.is_splat) result.address = result.address.substitute(lane_, 0);
  }
  result.address += frame_.base(id);
  return result;
}

// With the same bindings it is the same, by the same registers: these hold at least as long.
Values::Place Values::place(Access& access, loop::BufferId id, const std::vector<Index>& indices) {
  auto is_here = [&](const Access::Resolved& resolved) {
    bool is_same = resolved.is_vector == lanes_.is_vector();
    for (size_t i = 0; is_same && i < access.variables.size(); ++i)
      is_same = resolved.versions[i] == version(access, i);
    return is_same;
  };
  auto at = std::find_if(access.list.rbegin(), access.list.rend(), is_here);
  if (at == access.list.rend()) {
    Access::Resolved now{lanes_.is_vector(), {}, general_place(access, id, indices)};
    for (size_t i = 0; i < access.variables.size(); ++i) now.versions.push_back(version(access, i));
    access.list.push_back(std::move(now));
    at = access.list.rbegin();
  }
  return {frame_.resolve(at->place.address), at->place.is_splat};
}

bool Values::is_open(const Held& entry) const {
  return entry.depth <= frame_.depth() && entry.scope == frame_.scope_at(entry.depth);
}

// The register with the value: from another point, or from now on, in the outermost scope where it is the
// same.
RegisterId Values::held(Content wanted, bool hoists) {
  const uint32_t hash = wanted.address.hash() ^ wanted.buffer.index ^ wanted.bits;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i] == hash && is_open(held_[i]) && held_[i].content == wanted) return held_[i].reg;
  }
  uint32_t depth = frame_.depth();
  if (hoists) depth = std::max(frame_.depth_of(wanted.address), frame_.depth_of_condition());
  RegisterId reg = frame_.at_depth(depth, [&] {
    ExprId value = load_now(wanted);
    RegisterId made = b.reg(wanted.is_vector ? Type::V128 : type_of(frame_.kernel()[wanted.buffer].dtype));
    b.set(made, value);
    return made;
  });
  if (held_.empty()) held_.reserve(kUsually);
  hashes_.push_back(hash);
  held_.push_back({std::move(wanted), depth, frame_.scope_at(depth), reg});
  return reg;
}

ExprId Values::load_now(const Content& wanted) {
  if (!wanted.buffer) return splat(wanted.bits);
  uint32_t offset = 0;
  ExprId address = frame_.address(wanted.address, offset);
  if (wanted.is_vector) return b.load(wanted.is_splat ? Op::V128Load32Splat : Op::V128Load, address, offset);
  bool is_float = frame_.kernel()[wanted.buffer].dtype == DType::F32;
  return b.load(is_float ? Op::F32Load : Op::I32Load, address, offset);
}

ExprId Values::load(ValueId id) {
  const Value& value = frame_.kernel()[id];
  const loop::Buffer& buffer = frame_.kernel()[value.buffer];
  if (buffer.storage == Storage::Register) {
    if (!registers_[value.buffer.index]) {
      decline(cat(buffer.name, " is read before it is written, or in another function"));
      return constant(0, buffer.dtype);
    }
    ExprId scalar = b.get(registers_[value.buffer.index]);
    return lanes_.is_vector() ? b.op(Op::F32x4Splat, scalar) : scalar;
  }
  std::optional<Access>& access = loads_[id.index];
  if (!access) access = this->access(value.indices);
  Place place = this->place(*access, value.buffer, value.indices);
  if (lanes_.count && !place.is_splat && buffer.padded == 1) return load_part(place.address);
  Content wanted{.buffer = value.buffer,
                 .address = std::move(place.address),
                 .is_vector = lanes_.is_vector(),
                 .is_splat = place.is_splat};
  // What is written may be read again at another point.
  return buffer.written ? load_now(wanted) : b.get(held(std::move(wanted), true));
}

ExprId Values::load_part(const Index& address) {
  ExprId where = frame_.value(address);
  return b.call(unit_.load_lanes(), {where, frame_.value(*lanes_.count)});
}

ExprId Values::constant(uint32_t bits, DType dtype) {
  if (!lanes_.is_vector())
    return dtype == DType::F32 ? b.f32(std::bit_cast<float>(bits)) : b.i32(static_cast<int32_t>(bits));
  // V8 makes a splat anew wherever it is (three instructions), so that loops have theirs before them: 2.2
  // times as fast for a sigmoid. What is made of a sum has not: the sums' loop would lack the registers.
  return b.get(
      held({.buffer = {}, .address = {}, .bits = bits, .is_vector = true, .is_splat = true}, !result_));
}

// A splat takes 7 bytes, a constant of 16 bytes 18; engines know zero.
ExprId Values::splat(uint32_t bits) {
  return bits == 0 ? b.v128_splat(0) : b.op(Op::F32x4Splat, b.f32(std::bit_cast<float>(bits)));
}

ExprId Values::value(ValueId id) {
  if (known_[id.index]) return b.get(known_[id.index]);
  ExprId expr = compute(id);
  const Value& value = frame_.kernel()[id];
  bool is_leaf = value.kind == ValueKind::Constant || value.kind == ValueKind::Result;
  if (uses_[id.index] < 2 || is_leaf) return expr;
  RegisterId reg = b.reg(lanes_.is_vector() ? Type::V128 : type_of(value.dtype));
  b.set(reg, expr);
  known_[id.index] = reg;
  return b.get(reg);
}

ExprId Values::compute(ValueId id) {
  const Value& value = frame_.kernel()[id];
  switch (value.kind) {
    case ValueKind::Constant:
      return constant(value.bits, value.dtype);
    case ValueKind::Load:
      return load(id);
    case ValueKind::Result:
      if (!result_) decline("a result is used before there is one");
      if (lanes_.is_vector() && !result_is_vector_) return b.op(Op::F32x4Splat, b.get(result_));
      return b.get(result_);
    case ValueKind::Apply:
      return apply(value);
    case ValueKind::Select: {
      ExprId condition = this->value(value.operands[0]);
      ExprId if_true = this->value(value.operands[1]);
      ExprId if_false = this->value(value.operands[2]);
      if (lanes_.is_vector()) return b.op(Op::V128Bitselect, if_true, if_false, condition);
      return b.select(condition, if_true, if_false);
    }
  }
  return {};
}

// What the value is computed from, itself included.
std::vector<bool> Values::parts_of(ValueId id) const {
  std::vector<bool> parts(id.index + 1);
  parts[id.index] = true;
  for (size_t v = parts.size(); v-- > 0;) {
    if (!parts[v]) continue;
    for (ValueId operand : frame_.kernel().values[v].operands) parts[operand.index] = true;
  }
  return parts;
}

ExprId Values::stored(ValueId id) {
  const Unit::Computation made = computation_of(id);
  if (!made.function) return value(id);
  std::vector<low::Operand> arguments;
  for (ValueId parameter : made.parameters) arguments.push_back(value(parameter));
  return b.call(made.function, arguments);
}

Unit::Computation Values::computation_of(ValueId id) {
  // Activations that are clamps, and additions before them, stay where they are; a call takes longer.
  constexpr int kFew = 8;
  const loop::Kernel& kernel = frame_.kernel();
  for (const Unit::Computation& made : unit_.computations) {
    if (made.kernel == &kernel && made.value == id && made.is_vector == lanes_.is_vector()) return made;
  }
  Unit::Computation made{&kernel, id, lanes_.is_vector(), {}, {}};
  const std::vector<bool> parts = parts_of(id);
  int operations = 0;
  for (size_t v = 0; v < parts.size(); ++v) {
    const ValueKind kind = kernel.values[v].kind;
    if (!parts[v] || kind == ValueKind::Constant) continue;
    bool is_given = kind == ValueKind::Load || kind == ValueKind::Result;
    if (is_given) made.parameters.emplace_back(v);
    operations += is_given ? 0 : 1;
  }
  if (operations > kFew) made.function = function_of(made);
  unit_.computations.push_back(made);
  return made;
}

low::FunctionId Values::function_of(const Unit::Computation& made) {
  const loop::Kernel& kernel = frame_.kernel();
  low::FunctionId id = unit_.add(cat(kernel.name, made.is_vector ? " finish" : " finish one"), false);
  low::Function& function = *unit_.functions[id.index];
  Frame frame(function, kernel);
  Values inner(unit_, frame);
  inner.lanes_.symbol = lanes_.symbol;
  auto type_of_value = [&](ValueId value) {
    return made.is_vector ? Type::V128 : type_of(kernel[value].dtype);
  };
  for (ValueId parameter : made.parameters)
    inner.known_[parameter.index] = inner.b.parameter(type_of_value(parameter));
  function.result = type_of_value(made.value);
  inner.b.give(inner.value(made.value));
  if (auto status = inner.status(); !status && !failure_) failure_ = status.error();
  return id;
}

ExprId Values::truth(ExprId condition) { return b.op(Op::I32Sub, b.i32(0), condition); }

ExprId Values::apply(const Value& value) {
  const loop::Kernel& kernel = frame_.kernel();
  if (value.operation == Operation::MulAdd) return mul_add(value);
  if (!lanes_.is_vector()) return scalar(value);
  if (is_view(value.operation)) return this->value(value.operands[0]);
  Op op = row_of(value.operation).vector;
  ExprId first = this->value(value.operands[0]);
  if (value.operands.size() == 1) return b.op(op, first);
  if (is_shift(value.operation)) {
    return b.op(op, first, b.i32(static_cast<int32_t>(kernel[value.operands[1]].bits)));
  }
  return b.op(op, first, this->value(value.operands[1]));
}

ExprId Values::mul_add(const Value& value) {
  ExprId x = this->value(value.operands[0]);
  ExprId y = this->value(value.operands[1]);
  ExprId z = this->value(value.operands[2]);
  if (!fuses_) {
    bool is_vector = lanes_.is_vector();
    return b.op(is_vector ? Op::F32x4Add : Op::F32Add, b.op(is_vector ? Op::F32x4Mul : Op::F32Mul, x, y), z);
  }
  if (lanes_.is_vector()) return b.op(Op::F32x4RelaxedMadd, x, y, z);
  // Scalars are rounded as vectors are.
  auto all = [&](ExprId scalar) { return b.op(Op::F32x4Splat, scalar); };
  return b.lane(Op::F32x4ExtractLane, 0, b.op(Op::F32x4RelaxedMadd, all(x), all(y), all(z)));
}

ExprId Values::scalar(const Value& value) {
  Op op = row_of(value.operation).scalar;
  if (value.operation == Operation::PMin || value.operation == Operation::PMax) {
    auto in_register = [&](ValueId id) {
      RegisterId reg = b.reg(Type::F32);
      b.set(reg, this->value(id));
      return reg;
    };
    RegisterId x = in_register(value.operands[0]);
    RegisterId y = in_register(value.operands[1]);
    bool is_min = value.operation == Operation::PMin;
    ExprId takes_second = is_min ? b.op(op, b.get(y), b.get(x)) : b.op(op, b.get(x), b.get(y));
    return b.select(takes_second, b.get(y), b.get(x));
  }
  ExprId first = this->value(value.operands[0]);
  if (value.operands.size() == 1) return b.op(op, first);
  ExprId result = b.op(op, first, this->value(value.operands[1]));
  return is_comparison(value.operation) ? truth(result) : result;
}

void Values::store(const loop::Store& store) {
  const loop::Buffer& buffer = frame_.kernel()[store.buffer];
  ExprId value = result_ ? stored(store.value) : this->value(store.value);
  if (buffer.storage == Storage::Register) {
    if (lanes_.is_vector()) return decline(cat("the scalar ", buffer.name, " is stored in a vector loop"));
    RegisterId& reg = registers_[store.buffer.index];
    if (!reg) reg = b.reg(type_of(buffer.dtype), buffer.name);
    return b.set(reg, value);
  }
  auto at = std::ranges::find(stores_, &store, &std::pair<const loop::Store*, Access>::first);
  if (at == stores_.end()) at = stores_.insert(at, {&store, access(store.indices)});
  Place place = this->place(at->second, store.buffer, store.indices);
  if (lanes_.is_vector() && place.is_splat)
    return decline(cat("all lanes of a vector are stored to one element of ", buffer.name));
  if (lanes_.count) {
    ExprId where = frame_.value(place.address);
    return b.effect(b.call(unit_.store_lanes(), {where, value, frame_.value(*lanes_.count)}));
  }
  uint32_t offset = 0;
  ExprId address = frame_.address(place.address, offset);
  Op scalar_op = buffer.dtype == DType::F32 ? Op::F32Store : Op::I32Store;
  b.store(lanes_.is_vector() ? Op::V128Store : scalar_op, address, value, offset);
}

ExprId Values::combine(Combine combine, ExprId x, ExprId y, bool is_vector) {
  switch (combine) {
    case Combine::Add:
      return b.op(is_vector ? Op::F32x4Add : Op::F32Add, x, y);
    case Combine::Mul:
      return b.op(is_vector ? Op::F32x4Mul : Op::F32Mul, x, y);
    case Combine::Max:
      return b.op(is_vector ? Op::F32x4Max : Op::F32Max, x, y);
    case Combine::Min:
      return b.op(is_vector ? Op::F32x4Min : Op::F32Min, x, y);
  }
  return x;
}

ExprId Values::neutral(Combine combine, bool is_vector) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float value = 0;
  switch (combine) {
    case Combine::Add:
      value = 0;
      break;
    case Combine::Mul:
      value = 1;
      break;
    case Combine::Max:
      value = -kInfinity;
      break;
    case Combine::Min:
      value = kInfinity;
      break;
  }
  return is_vector ? splat(std::bit_cast<uint32_t>(value)) : b.f32(value);
}

void Values::accumulate(Combine combine, ValueId term, RegisterId result) {
  const Value& value = frame_.kernel()[term];
  bool is_vector = lanes_.is_vector();
  bool masks = lanes_.count && lanes_.are_summed;
  bool is_product = value.kind == ValueKind::Apply && value.operation == Operation::Mul;
  if (fuses_ && is_vector && !masks && combine == Combine::Add && is_product) {
    ExprId x = this->value(value.operands[0]);
    ExprId y = this->value(value.operands[1]);
    return b.set(result, b.op(Op::F32x4RelaxedMadd, x, y, b.get(result)));
  }
  ExprId next = this->value(term);
  if (masks) {
    ExprId mask = b.op(Op::I32x4LtS, b.v128({0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}),
                       b.op(Op::I32x4Splat, frame_.value(*lanes_.count)));
    next = b.op(Op::V128Bitselect, next, neutral(combine, true), mask);
  }
  b.set(result, this->combine(combine, b.get(result), next, is_vector));
}

ExprId Values::across(Combine combine, RegisterId vector) {
  auto lane = [&](uint8_t i) { return b.lane(Op::F32x4ExtractLane, i, b.get(vector)); };
  ExprId low = this->combine(combine, lane(0), lane(1), false);
  ExprId high = this->combine(combine, lane(2), lane(3), false);
  return this->combine(combine, low, high, false);
}

}  // namespace fuselane::lower_ir
