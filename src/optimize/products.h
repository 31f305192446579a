// Operators that sum products with weights, seen alike: one result channel is one set of weights, so that
// what multiplies or adds to a channel can go into its weights and bias.
#pragma once

#include "optimize/rewrite.h"

namespace fuselane {

// A Conv, ConvTranspose, Gemm or MatMul of floats whose result only one node reads.
struct Product {
  const Node* node;
  size_t rank;       // of the result
  size_t axis;       // of the result, along which the channels lie
  int64_t channels;  // at least 1
};

// The product that computes `value`, when `reader` may become one node with it.
std::optional<Product> product_before(const RewriteSite& site, ValueId value, NodeId reader);

// One number for all channels, or one for each.
using ChannelNumbers = std::vector<double>;
inline double number_of(const ChannelNumbers& numbers, int64_t channel) {
  return numbers.size() == 1 ? numbers[0] : numbers[static_cast<size_t>(channel)];
}

// The elements of a constant that broadcasts to the product's result along the channels alone and does not
// enlarge it; nothing for any other value.
Result<std::optional<ChannelNumbers>> channel_numbers(const RewriteSite& site, ValueId constant,
                                                      const Product& product);

// The product's result times `factor`, plus `shift`.
struct ChannelAffine {
  ChannelNumbers factor = {1};
  ChannelNumbers shift = {0};
};

// The change that computes this in place of `reader`, by other weights and another bias. Nothing where that
// is not possible or not equal: weights or bias that are no constants; numbers that do not stay finite;
// weights that others read and that are too large to be kept twice.
Result<std::optional<Patch>> fold_into_product(const RewriteSite& site, std::string_view rule, NodeId reader,
                                               const Product& product, const ChannelAffine& affine);

}  // namespace fuselane
