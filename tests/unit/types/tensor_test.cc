// Tensors: their elements by type, copies, and sizes that cannot be.
#include "types/tensor.h"

#include <gtest/gtest.h>

#include <limits>

namespace fuselane {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Tensor, IsZeroedAndSized) {
  auto tensor = Tensor::allocate(DType::Int4, {3, 3});
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->count(), 9);
  EXPECT_EQ(tensor->bytes().size(), 5u);
  EXPECT_EQ(tensor->integers(), std::vector<int64_t>(9));
  EXPECT_EQ(text_of(tensor->dtype(), tensor->dims()), "i4[3,3]");
}

TEST(Tensor, MayBeAScalarOrEmpty) {
  auto scalar = Tensor::of_numbers(DType::Float32, {}, std::vector<double>{0.5});
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->count(), 1);
  EXPECT_EQ(scalar->number(0), 0.5);
  auto empty = Tensor::allocate(DType::Float32, {2, 0});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->count(), 0);
  EXPECT_TRUE(empty->view().present());
  EXPECT_TRUE(Tensor::copy_of(empty->view()));
  EXPECT_FALSE(TensorView().present());
}

TEST(Tensor, StoresByType) {
  auto bytes = Tensor::of_ints(DType::UInt8, {2}, std::vector<int64_t>{257, -1});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->integers(), (std::vector<int64_t>{1, 255}));
  auto halves = Tensor::of_numbers(DType::Float16, {2}, std::vector<double>{0.1, 1e6});
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->number(0), 0x1.998p-4);
  EXPECT_EQ(halves->number(1), std::numeric_limits<double>::infinity());
}

TEST(Tensor, CopiesOwnTheirElements) {
  auto first = Tensor::of_ints(DType::Int64, {2}, std::vector<int64_t>{1, kMost});
  ASSERT_TRUE(first);
  auto second = Tensor::copy_of(first->view());
  ASSERT_TRUE(second);
  first->view().set_integer(0, 7);
  EXPECT_EQ(first->integer(0), 7);
  EXPECT_EQ(second->integers(), (std::vector<int64_t>{1, kMost}));
  EXPECT_EQ(second->dims(), Dims{2});
}

TEST(Tensor, ViewsReadAndWrite) {
  auto tensor = Tensor::allocate(DType::Float32, {2, 3});
  ASSERT_TRUE(tensor);
  TensorView view = tensor->view();
  EXPECT_EQ(view.rank(), 2);
  EXPECT_EQ(view.extent(1), 3);
  view.set_number(4, 1.5);
  EXPECT_EQ(view.as<float>()[4], 1.5f);
  EXPECT_EQ(view.number(4), 1.5);
  EXPECT_EQ(view.integer(4), 1);
}

TEST(Tensor, HoldsStringsBesideTheBuffer) {
  auto tensor = Tensor::allocate(DType::String, {2});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->strings().size(), 2u);
  EXPECT_TRUE(tensor->bytes().empty());
}

struct BadSize {
  DType dtype;
  Dims dims;
  ErrorCode code;
  const char* message;
};

TEST(Tensor, RefusesSizesThatCannotBe) {
  for (const BadSize& c : {
           BadSize{DType::Float32,
                   {kMost, 2},
                   ErrorCode::InvalidData,
                   "a tensor f32[9223372036854775807,2] is too large"},
           BadSize{DType::Float64,
                   {int64_t{1} << 61},
                   ErrorCode::InvalidData,
                   "a tensor f64[2305843009213693952] is too large"},
           BadSize{DType::Int8, {-1}, ErrorCode::InvalidData, "a tensor i8[-1] is too large"},
           BadSize{DType::String,
                   {int64_t{1} << 40},
                   ErrorCode::OutOfMemory,
                   "a tensor of 1099511627776 strings is too large"},
       }) {
    auto tensor = Tensor::allocate(c.dtype, c.dims);
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().code, c.code);
    EXPECT_EQ(tensor.error().message, c.message);
  }
}

}  // namespace
}  // namespace fuselane
