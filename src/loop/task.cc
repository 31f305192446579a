// Tasks to text.
#include "loop/task.h"

#include "base/printer.h"

namespace fuselane::loop {
namespace {

std::string text_of(const Activation& activation) {
  return cat(fuselane::text_of(activation.kind), " ", activation.a, " ", activation.b);
}

std::string text_of(std::span<const Step> steps) {
  std::string out;
  for (const Step& step : steps) {
    append(out, out.empty() ? " " : ", ");
    append(out, text_of(step.function));
    if (operands_of(step.function) > 0) append(out, cat(" ", uint32_t{step.a}));
    if (operands_of(step.function) > 1) append(out, cat(" ", uint32_t{step.b}));
    if (step.function == Function::Constant) append(out, cat(" ", step.number));
    if (step.function == Function::Activate) append(out, cat(" ", text_of(step.activation)));
  }
  return out;
}

std::string text_of(const std::vector<uint8_t>& strides) {
  std::string out;
  for (uint8_t stride : strides) append(out, cat(" ", uint32_t{stride}));
  return out;
}

// What is made of the sums of a product.
template <class Product>
std::string text_of_finish(const Product& task) {
  std::string out;
  if (!task.strides.empty()) append(out, cat(" strides", text_of(task.strides)));
  if (!task.finish.empty()) append(out, cat(" finish", text_of(task.finish)));
  return out;
}

std::string text_of(const MatMulTask& task) {
  return cat("matmul tail ", uint32_t{task.columns_tail}, task.one_row ? " one_row" : "",
             text_of_finish(task));
}

std::string text_of(const ConvTask& task) {
  return cat("conv tail ", uint32_t{task.columns_tail}, text_of_finish(task));
}

std::string text_of(const DepthwiseTask& task) {
  std::string out = cat("depthwise tail ", uint32_t{task.channels_tail}, " width ", uint32_t{task.width},
                        " stride ", uint32_t{task.stride}, " dilation ", uint32_t{task.dilation});
  if (task.borders)
    append(out, cat(" borders ", uint32_t{task.borders->left}, " ", uint32_t{task.borders->right}));
  return cat(out, text_of_finish(task));
}

std::string text_of(const MapTask& task) {
  return cat("map outer ", uint32_t{task.outer}, " strides", text_of(task.strides), " steps",
             text_of(task.steps));
}

std::string text_of(const ReduceTask& task) {
  std::string out = cat("reduce ", text_of(task.combine), task.contiguous ? " contiguous" : " strided");
  if (!task.prologue.empty()) append(out, cat(" prologue", text_of(task.prologue)));
  if (!task.finish.empty()) append(out, cat(" finish", text_of(task.finish)));
  return out;
}

}  // namespace

std::string text_of(const Task& task) {
  return std::visit([](const auto& family) { return text_of(family); }, task);
}

}  // namespace fuselane::loop
