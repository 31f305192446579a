// Initializers and Constant nodes: where their elements lie, and when they do not fit their shape.
#include "graph/constants.h"
#include "tests/unit/import/import_case.h"
#include "tests/unit/import/onnx_writer.h"

namespace fuselane {
namespace {

// A model whose only output is the tensor "w".
std::string model_of(const Message& tensor) {
  return onnx_model(13, onnx_graph({}, {tensor}, {}, {Message().text(1, "w")}));
}

struct TensorCase {
  const char* name;
  Message tensor;
  std::string_view line;  // how the constant prints
};
void PrintTo(const TensorCase& c, std::ostream* out) { *out << c.name; }

Message typed(int64_t type, const std::vector<int64_t>& dims) { return tensor_of("w", type, dims); }
std::string raw(std::string_view bytes) { return std::string(bytes); }

const TensorCase kCopied[] = {
    {"RawFloat", tensor("w", {2}, std::vector<float>{1.5f, -2}), "f32[2] = [1.5, -2]"},
    {"PackedFloat", typed(1, {2}).packed(4, std::vector<float>{1.5f, -2}), "f32[2] = [1.5, -2]"},
    {"UnpackedFloat", typed(1, {2}).number(4, 1.5f).number(4, -2), "f32[2] = [1.5, -2]"},
    {"FloatInTwoRuns", typed(1, {3}).packed(4, std::vector<float>{1.5f, -2}).packed(4, std::vector<float>{3}),
     "f32[3] = [1.5, -2, 3]"},
    {"PackedDouble", typed(11, {1}).packed(10, std::vector<double>{0.1}), "f64[1] = [0.1]"},
    {"PackedInt64", typed(7, {2}).packed_integers(7, {-1, 300}), "i64[2] = [-1, 300]"},
    {"UnpackedInt64", typed(7, {2}).integer(7, -1).integer(7, 300), "i64[2] = [-1, 300]"},
    {"Int32", typed(6, {2}).packed_integers(5, {-1, 300}), "i32[2] = [-1, 300]"},
    {"Int8", typed(3, {2}).packed_integers(5, {-1, 100}), "i8[2] = [-1, 100]"},
    {"UInt8", typed(2, {2}).packed_integers(5, {255, 1}), "u8[2] = [255, 1]"},
    {"UnpackedUInt16", typed(4, {1}).integer(5, 65535), "u16[1] = [65535]"},
    {"Bool", typed(9, {2}).packed_integers(5, {1, 0}), "bool[2] = [1, 0]"},
    {"UInt32", typed(12, {1}).packed_integers(11, {4294967295}), "u32[1] = [4294967295]"},
    {"UInt64", typed(13, {1}).packed_integers(11, {-1}), "u64[1] = [18446744073709551615]"},
    {"Float16AsBits", typed(10, {2}).packed_integers(5, {0x3c00, 0xc000}), "f16[2] = [1, -2]"},
    {"UnpackedBFloat16", typed(16, {2}).integer(5, 0x3f80).integer(5, 0xc000), "bf16[2] = [1, -2]"},
    {"Float8", typed(17, {1}).packed_integers(5, {0x38}), "f8e4m3fn[1] = [1]"},
    {"RawInt4", typed(22, {3}).text(9, raw("\xf2\x07")), "i4[3] = [2, -1, 7]"},
    {"Int4InInt32", typed(22, {3}).packed_integers(5, {0xf2, 0x07}), "i4[3] = [2, -1, 7]"},
    {"Strings", typed(8, {2}).text(6, "a").text(6, "b\n"), "str[2] = [\"a\", \"b\\n\"]"},
    {"Scalar", tensor("w", {}, std::vector<int64_t>{7}), "i64[] = [7]"},
    {"EmptyWithoutData", typed(1, {0, 3}), "f32[0,3] = []"},
    {"EmptyRaw", typed(1, {0}).text(9, ""), "f32[0] = []"},
};

class Tensors : public testing::TestWithParam<TensorCase> {};
TEST_P(Tensors, AreRead) {
  EXPECT_EQ(
      imported_text(model_of(GetParam().tensor)),
      cat("graph \"g\" {\n  source \"m.onnx\"\n  const %w: ", GetParam().line, "\n  output \"w\" = %w\n}\n"));
}
INSTANTIATE_TEST_SUITE_P(All, Tensors, testing::ValuesIn(kCopied),
                         [](const auto& info) { return info.param.name; });

struct BadTensorCase {
  const char* name;
  Message tensor;
  std::string_view message;
  ErrorCode code = ErrorCode::InvalidModel;
};
void PrintTo(const BadTensorCase& c, std::ostream* out) { *out << c.name; }

Message external(std::string_view location) {
  return typed(1, {4}).integer(14, 1).message(13, Message().text(1, "location").text(2, location));
}

const BadTensorCase kBad[] = {
    {"RawTooShort", typed(1, {2}).text(9, "1234"),
     "tensor 'w' is declared as f32[2], which needs 8 bytes, but holds 4"},
    {"RawTooLong", typed(1, {2}).text(9, "123456789"),
     "tensor 'w' is declared as f32[2], which needs 8 bytes, but holds 9"},
    {"TooFewVarints", typed(7, {3}).packed_integers(7, {300, 300}),
     "tensor 'w' cannot be read: a constant holds 2 elements, its shape 3"},
    {"TooFewUnpacked", typed(1, {3}).number(4, 1).number(4, 2),
     "tensor 'w' is declared as f32[3], which does not fit the 2 elements found"},
    {"TooManyUnpacked", typed(1, {1}).number(4, 1).number(4, 2),
     "tensor 'w' is declared as f32[1], which does not fit the 2 elements found"},
    {"TooFewStrings", typed(8, {3}).text(6, "a"),
     "tensor 'w' is declared as str[3], which does not fit the 1 elements found"},
    {"ManyUnpackedClaimed", typed(1, {int64_t{1} << 40}).number(4, 1),
     "tensor 'w' is declared as f32[1099511627776], which does not fit the 0 elements found"},
    {"NoData", typed(1, {2}), "tensor 'w' has no elements, its shape says 2"},
    {"NegativeExtent", typed(1, {2, -3}), "tensor 'w' has the negative extent -3"},
    {"TooLarge", typed(1, {int64_t{1} << 32, int64_t{1} << 32}).text(9, "1234"),
     "tensor 'w' is too large: f32[4294967296,4294967296]"},
    {"UnknownType", typed(77, {1}).text(9, "1"), "tensor 'w' has the unknown element type 77"},
    {"FloatInInt32", typed(1, {1}).packed_integers(5, {1}),
     "tensor 'w' of type float32 has its elements in field 5 of its message, where that type cannot lie"},
    {"RawStrings", typed(8, {1}).text(9, "a"),
     "tensor 'w' of type string has its elements in field 9 of its message, where that type cannot lie"},
    {"TwoFields", typed(1, {1}).number(4, 1).text(9, "1234"),
     "tensor 'w' has elements in more than one field"},
    {"External", external("weights.bin"),
     "tensor 'w' has its data in another file, 'weights.bin': external data is not supported yet",
     ErrorCode::UnsupportedModel},
    {"Segments", typed(1, {1}).text(3, "").text(9, "1234"),
     "tensor 'w' lies in segments, which is not supported", ErrorCode::UnsupportedModel},
};

class BadTensors : public testing::TestWithParam<BadTensorCase> {};
TEST_P(BadTensors, AreNamed) {
  expect_refused(model_of(GetParam().tensor), GetParam().code, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(All, BadTensors, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

// --- references ---

TEST(ImportTensors, LeavesLargeOnesInTheFile) {
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < 1000; ++i) integers.push_back(i - 500);
  std::vector<float> floats(1024, 0.5f);
  Message graph =
      onnx_graph({}, {tensor("w", {32, 32}, floats), tensor_of("v", 7, {1000}).packed_integers(7, integers)},
                 {}, {Message().text(1, "w"), Message().text(1, "v")});
  std::string model = onnx_model(13, graph);
  MemorySource source(as_bytes(model));
  auto imported = import_model(source, "m.onnx");
  ASSERT_TRUE(imported) << imported.error().message;
  const Constant* w = imported->constant_of(imported->find("w"));
  const Constant* v = imported->constant_of(imported->find("v"));
  ASSERT_TRUE(w && v);
  EXPECT_FALSE(w->data);
  EXPECT_EQ(w->encoding, ConstantEncoding::Raw);
  EXPECT_EQ(w->length, 4096u);
  EXPECT_FALSE(v->data);
  EXPECT_EQ(v->encoding, ConstantEncoding::Varints);
  ByteSource* const sources[] = {&source};
  auto w_read = read_constant(*w, sources);
  auto v_read = read_constant(*v, sources);
  ASSERT_TRUE(w_read && v_read);
  EXPECT_EQ(w_read->number(1023), 0.5);
  EXPECT_EQ(v_read->integers(), integers);
}

TEST(ImportTensors, LeavesComplexNumbersInTheFile) {
  auto graph = import_bytes(model_of(typed(14, {1}).packed(4, std::vector<float>{1, 2})));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_FALSE(graph->constant_of(graph->find("w"))->data);
}

// A file in which a run of zeros is not stored but made when it is read; counts what is read.
class SparseSource final : public ByteSource {
 public:
  SparseSource(std::string before, uint64_t zeros, std::string after)
      : before_(std::move(before)), zeros_(zeros), after_(std::move(after)) {}
  uint64_t size() const override { return before_.size() + zeros_ + after_.size(); }
  Status read(uint64_t offset, std::span<uint8_t> destination) override {
    total += destination.size();
    largest = std::max<uint64_t>(largest, destination.size());
    for (uint8_t& byte : destination) byte = at(offset++);
    return {};
  }
  uint64_t total = 0;
  uint64_t largest = 0;

 private:
  uint8_t at(uint64_t offset) const {
    if (offset < before_.size()) return static_cast<uint8_t>(before_[offset]);
    if (offset < before_.size() + zeros_) return 0;
    return static_cast<uint8_t>(after_[offset - before_.size() - zeros_]);
  }
  std::string before_;
  uint64_t zeros_;
  std::string after_;
};

// The key and length of a field whose `size` bytes follow elsewhere.
std::string header(uint32_t field, uint64_t size) {
  return Message().key(field, 2).bytes + Message::varint(size);
}

TEST(ImportTensors, ReadsNothingOfALargeWeight) {
  constexpr uint64_t kWeight = 100 << 20;
  std::string weight = tensor_of("w", 1, {5120, 5120}).bytes + header(9, kWeight);
  Message rest =
      onnx_graph({onnx_node("Identity", {"w"}, {"y"})}, {}, {}, {onnx_value("y", 1, {5120, 5120})});
  std::string in_graph = header(5, weight.size() + kWeight) + weight;
  std::string before =
      Message().integer(1, 8).bytes + header(7, in_graph.size() + kWeight + rest.bytes.size()) + in_graph;
  SparseSource source(before, kWeight, rest.bytes + Message().message(8, onnx_opset(13)).bytes);
  auto graph = import_model(source, "m.onnx");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->constant_of(graph->find("w"))->length, kWeight);
  EXPECT_LE(source.largest, 64u << 10);
  EXPECT_LE(source.total, 16u << 10);
}

TEST(ImportTensors, ReadsAFileOfManySmallPartsOnce) {
  std::vector<Message> nodes;
  for (int i = 0; i < 5000; ++i)
    nodes.push_back(onnx_node("Identity", {"x"}, {cat("value_", i)}, {}, cat("node_", i)));
  std::string model =
      onnx_model(13, onnx_graph(nodes, {}, {onnx_value("x", 1, {2})}, {onnx_value("x", 1, {2})}));
  SparseSource source(model, 0, "");
  ASSERT_TRUE(import_model(source, "m.onnx"));
  EXPECT_LE(source.largest, 64u << 10);
  EXPECT_LE(source.total, model.size() + (8u << 10));
}

class FailingSource final : public ByteSource {
 public:
  uint64_t size() const override { return 1 << 20; }
  Status read(uint64_t offset, std::span<uint8_t>) override {
    return fail_at(ErrorCode::ReadFailed, static_cast<int64_t>(offset), "the disk is gone");
  }
};

TEST(ImportTensors, PassesOnWhatTheSourceSays) {
  FailingSource source;
  auto graph = import_model(source, "m.onnx");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::ReadFailed);
  EXPECT_EQ(graph.error().message, "the disk is gone");
}

}  // namespace
}  // namespace fuselane
