#include "library/kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "library/matmul.h"

namespace fuselane {
namespace {

TEST(Kernels, EveryRowHasItsOwnNameAndFunction) {
  std::set<std::string_view> names;
  std::set<Kernel> functions;
  int rows = 0;
#define KERNEL(id, function)                   \
  names.insert(name_of(KernelId::id));         \
  functions.insert(function_of(KernelId::id)); \
  ++rows;
#include "library/kernels.def"
#undef KERNEL
  EXPECT_EQ(names.size(), static_cast<size_t>(rows));
  EXPECT_EQ(functions.size(), static_cast<size_t>(rows));
  EXPECT_FALSE(functions.contains(nullptr));
  EXPECT_EQ(function_of(KernelId::MatMulPack), &matmul_pack);
  EXPECT_EQ(name_of(KernelId::MatMulPack), "matmul_pack");
}

}  // namespace
}  // namespace fuselane
