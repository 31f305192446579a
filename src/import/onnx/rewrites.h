// How each ONNX operator becomes nodes of the graph; operators.def says which function is whose. A function
// serves all versions and operators it is named for: the node says which.
#pragma once

#include "import/onnx/node_import.h"

namespace fuselane {

// The graph's operator of the same name with the node's operands and attributes.
Status import_directly(NodeImport& node);

// rewrite_elementwise.cc
Status rewrite_cast(NodeImport& node);
Status rewrite_clip(NodeImport& node);
Status rewrite_dropout(NodeImport& node);
Status rewrite_chain(NodeImport& node);
// rewrite_network.cc
Status rewrite_matmul(NodeImport& node);
Status rewrite_conv(NodeImport& node);
Status rewrite_batch_normalization(NodeImport& node);
Status rewrite_upsample(NodeImport& node);
Status rewrite_resize(NodeImport& node);
Status rewrite_recurrent(NodeImport& node);
// rewrite_reduce.cc
Status rewrite_reduce(NodeImport& node);
Status rewrite_global_pool(NodeImport& node);
Status rewrite_softmax(NodeImport& node);
// rewrite_shape.cc
Status rewrite_axes(NodeImport& node);
Status rewrite_split(NodeImport& node);
Status rewrite_slice(NodeImport& node);
Status rewrite_pad(NodeImport& node);
Status rewrite_constant_of_shape(NodeImport& node);

}  // namespace fuselane
