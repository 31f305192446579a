// Files that are not models, models that are cut short, and versions that are not read.
#include "tests/unit/import/import_case.h"
#include "tests/unit/import/onnx_writer.h"

namespace fuselane {
namespace {

struct FileCase {
  const char* name;
  std::string_view bytes;
  ErrorCode code;
  std::string_view message;
};

constexpr std::string_view kPage =
    "the file is an HTML page, not a model: its address may be that of a page about the model, or of an "
    "error "
    "page";

const FileCase kFiles[] = {
    {"Empty", "", ErrorCode::InvalidModel, "the file is empty"},
    {"Html", "<!DOCTYPE html><html><body>404</body></html>", ErrorCode::InvalidModel, kPage},
    {"HtmlAfterBlanks", "\xef\xbb\xbf \r\n<Html lang=\"en\">", ErrorCode::InvalidModel, kPage},
    {"LfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
     ErrorCode::InvalidModel,
     "the file is a Git LFS pointer, not the model it points to: fetch the model itself, with 'git lfs pull' "
     "or "
     "from the address that serves large files"},
    {"Json", "\n{\"error\": \"not found\"}", ErrorCode::InvalidModel, "the file is JSON text, not a model"},
    {"Zip", "PK\x03\x04rest", ErrorCode::InvalidModel,
     "the file is a zip archive (PyTorch and Keras files are, too): unpack it, or export the model to ONNX"},
    {"Gzip", "\x1f\x8b\x08rest", ErrorCode::InvalidModel,
     "the file is compressed with gzip: unpack it first"},
    {"TfLite", std::string_view("\x1c\0\0\0TFL3\x14\0", 10), ErrorCode::UnsupportedModel,
     "the file is a TensorFlow Lite model, which is not supported yet"},
    {"Prose", "hello, this is not a model", ErrorCode::InvalidModel,
     "this is not a whole ONNX model: field 13 is of the kind 4, which ONNX does not use (at byte 2 of 26); "
     "it "
     "may be cut short, damaged or of another format"},
    {"Zeros", std::string_view("\0\0\0\0\0\0\0\0", 8), ErrorCode::InvalidModel,
     "this is not a whole ONNX model: there is no field 0 (at byte 0 of 8); it may be cut short, damaged or "
     "of "
     "another format"},
};

class Files : public testing::TestWithParam<FileCase> {};
TEST_P(Files, AreToldApart) { expect_refused(GetParam().bytes, GetParam().code, GetParam().message); }
INSTANTIATE_TEST_SUITE_P(All, Files, testing::ValuesIn(kFiles),
                         [](const auto& info) { return info.param.name; });

Message identity_graph() {
  return onnx_graph({onnx_node("Identity", {"x"}, {"y"})}, {tensor("w", {2}, std::vector<float>{1, 2})},
                    {onnx_value("x", 1, {2})}, {onnx_value("y", 1, {2})});
}

TEST(ImportFormat, RefusesAModelCutShortAnywhere) {
  std::string model = onnx_model(13, identity_graph());
  ASSERT_TRUE(import_bytes(model));
  for (size_t length = 0; length < model.size(); ++length) {
    auto graph = import_bytes(std::string_view(model).substr(0, length));
    ASSERT_FALSE(graph) << "cut to " << length << " bytes";
    EXPECT_EQ(graph.error().code, ErrorCode::InvalidModel) << graph.error().message;
  }
}

TEST(ImportFormat, ReadsFieldsInAnyOrderAndSkipsUnknownOnes) {
  std::string model = Message()
                          .message(8, onnx_opset(13))
                          .text(14, "metadata")
                          .message(7, identity_graph())
                          .number(99, 1.5f)
                          .integer(1, 8)
                          .bytes;
  EXPECT_EQ(imported_text(model), imported_text(onnx_model(13, identity_graph())));
}

TEST(ImportFormat, ReadsAVersionRange) {
  for (int64_t opset : {7, 13, 17, 22})
    EXPECT_TRUE(import_bytes(onnx_model(opset, identity_graph()))) << opset;
  for (int64_t ir : {3, 10, 12}) EXPECT_TRUE(import_bytes(onnx_model(13, identity_graph(), ir))) << ir;
  expect_refused(onnx_model(6, identity_graph()), ErrorCode::UnsupportedModel,
                 "the model uses opset 6 of ai.onnx; opsets 7 to 22 are supported");
  expect_refused(onnx_model(23, identity_graph()), ErrorCode::UnsupportedModel,
                 "the model uses opset 23 of ai.onnx; opsets 7 to 22 are supported");
  expect_refused(onnx_model(7, identity_graph(), 2), ErrorCode::UnsupportedModel,
                 "the model's IR version is 2; 3 and newer are supported");
  expect_refused(Message().integer(1, 8).message(7, identity_graph()).bytes, ErrorCode::InvalidModel,
                 "the model does not say which opset of ai.onnx its operators are from; it may be cut short");
  expect_refused(Message().integer(1, 8).message(8, onnx_opset(13)).bytes, ErrorCode::InvalidModel,
                 "the file holds no graph: it is not an ONNX model, or it is cut short or damaged");
  expect_refused(Message()
                     .integer(1, 8)
                     .message(8, onnx_opset(13))
                     .message(8, onnx_opset(14, "ai.onnx"))
                     .message(7, identity_graph())
                     .bytes,
                 ErrorCode::InvalidModel, "the model imports domain '' in two versions, 13 and 14");
}

TEST(ImportFormat, DoesNotMindDomainsThatNoNodeUses) {
  std::string model = Message()
                          .integer(1, 8)
                          .message(8, onnx_opset(1, "com.example"))
                          .message(8, onnx_opset(13, "ai.onnx"))
                          .message(7, identity_graph())
                          .bytes;
  EXPECT_TRUE(import_bytes(model));
}

TEST(ImportFormat, RefusesWhatBreaksTheWireFormat) {
  auto broken = [](std::string_view sentence) {
    return cat("this is not a whole ONNX model: ", sentence,
               "; it may be cut short, damaged or of another format");
  };
  expect_refused(std::string("\x08") + std::string(10, '\xff') + "\x01", ErrorCode::InvalidModel,
                 broken("a number is longer than 64 bits (at byte 1 of 12)"));
  expect_refused("\x3a\x05\x0a\x09zzz", ErrorCode::InvalidModel,
                 broken("field 1 has 9 bytes, 3 are left around it (at byte 2 of 7)"));
  expect_refused("\x3a\x7f", ErrorCode::InvalidModel,
                 broken("field 7 has 127 bytes, 0 are left around it (at byte 0 of 2)"));
  expect_refused("\x0a\x01z", ErrorCode::InvalidModel,
                 broken("field 1 is of the kind 2, not 0 (at byte 2 of 3)"));
  Message type = Message().message(1, Message().integer(1, 1));
  for (int i = 0; i < 120; ++i) type = Message().message(4, Message().message(1, type));
  Message input = Message().text(1, "x").message(2, type);
  auto graph = import_bytes(onnx_model(13, onnx_graph({}, {}, {input}, {})));
  ASSERT_FALSE(graph);
  EXPECT_TRUE(graph.error().message.contains("more than 100 messages lie in one another"))
      << graph.error().message;
}

}  // namespace
}  // namespace fuselane
