#include "schedule/algorithms/product.h"

#include "base/printer.h"

namespace fuselane {

using namespace loop;

namespace {

// Columns of a panel, which are packed together (library/product_tile.h).
constexpr int64_t kPanel = 8;

}  // namespace

Index product_columns(const Index& whole_panels, uint8_t tail) {
  return Index(kPanel) * whole_panels + Index(tail);
}

ProductBuffers product_buffers(Kernel& kernel, std::vector<Index> a_strides, const Index& matrix,
                               const Index& depth, std::span<const std::string_view> outer,
                               std::span<const uint8_t> strides) {
  ProductBuffers buffers;
  Buffer description;
  description.name = "a";
  description.strides = std::move(a_strides);
  buffers.a = kernel.buffer(description);
  description.name = "w";
  description.strides = {matrix, Index(kPanel) * (depth + 1), kPanel, 1};
  description.padded = kPanel;
  buffers.w = kernel.buffer(description);
  description.padded = 1;
  // Strides are arguments in the order of the buffers.
  auto rows_of = [&](const std::string& name, bool has_columns) {
    description.name = name;
    description.strides.clear();
    for (std::string_view dimension : outer)
      description.strides.push_back(kernel.size(cat(name, "_", dimension)));
    description.strides.push_back(kernel.size(cat(name, "_row")));
    if (has_columns) description.strides.push_back(1);
    return kernel.buffer(description);
  };
  for (size_t x = 0; x < strides.size(); ++x)
    buffers.operands.push_back(rows_of(cat("x", x), strides[x] != 0));
  description.written = true;
  buffers.c = rows_of("c", true);
  return buffers;
}

void add_product(Kernel& kernel, Nest nest, const ProductBuffers& buffers, const ProductPlaces& places,
                 std::span<const uint8_t> strides, std::span<const Step> finish) {
  Index panel = kernel.quotient(places.j, kPanel);
  Index column = kernel.remainder(places.j, kPanel);
  nest.init = kernel.load(buffers.w, {places.matrix, panel, 0, column});
  nest.term = kernel.apply(Operation::Mul, kernel.load(buffers.a, places.a),
                           kernel.load(buffers.w, {places.matrix, panel, places.k + 1, column}));
  std::vector<ValueId> values = {kernel.result()};
  std::vector<Index> place = places.outer;
  place.push_back(places.j);
  for (size_t x = 0; x < buffers.operands.size(); ++x)
    values.push_back(kernel.load(buffers.operands[x], strides[x] != 0 ? place : places.outer));
  nest.stores.push_back({buffers.c, std::move(place), apply_steps(kernel, finish, std::move(values))});
  kernel.nests.push_back(std::move(nest));
}

}  // namespace fuselane
