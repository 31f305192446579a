#include "graph/operators/recurrent_activation.h"

#include <algorithm>
#include <cmath>

#include "base/printer.h"

namespace fuselane {
namespace {

struct ActivationRow {
  std::string_view name;
  bool takes_alpha;
  bool takes_beta;
  double alpha;  // where the node gives none: the default of the operator of that name, or what leaves x as
                 // it is
  double beta;
  double (*function)(double x, double alpha, double beta);
};

// NaN stays NaN, save where the formula compares: ThresholdedRelu makes it 0.
constexpr ActivationRow kActivations[] = {
    {"Relu", false, false, 0, 0, [](double x, double, double) { return x < 0 ? 0 : x; }},
    {"Tanh", false, false, 0, 0, [](double x, double, double) { return std::tanh(x); }},
    {"Sigmoid", false, false, 0, 0, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"Affine", true, true, 1, 0, [](double x, double alpha, double beta) { return alpha * x + beta; }},
    {"LeakyRelu", true, false, 0.01f, 0,
     [](double x, double alpha, double) { return x < 0 ? alpha * x : x; }},
    {"ThresholdedRelu", true, false, 1, 0, [](double x, double alpha, double) { return x >= alpha ? x : 0; }},
    {"ScaledTanh", true, true, 1, 1,
     [](double x, double alpha, double beta) { return alpha * std::tanh(beta * x); }},
    {"HardSigmoid", true, true, 0.2f, 0.5,
     [](double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }},
    {"Elu", true, false, 1, 0,
     [](double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }},
    {"Softsign", false, false, 0, 0, [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {"Softplus", false, false, 0, 0,
     [](double x, double, double) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }},
};

Result<const ActivationRow*> activation_row(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ActivationRow& row : kActivations) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  return fail(ErrorCode::InvalidModel,
              cat("an activation must be one of ", join(names), ", not '", name, "'"));
}

}  // namespace

Result<std::vector<CellFunction>> recurrent_activations(const Node& node, size_t directions,
                                                        std::initializer_list<std::string_view> defaults) {
  std::vector<std::string_view> names;
  for (const std::string& name : node.texts(Attr::Activations)) names.push_back(name);
  if (names.empty()) {
    for (size_t d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != directions * defaults.size()) {
    return fail(ErrorCode::InvalidModel, cat("attribute 'activations' must have ",
                                             directions * defaults.size(), " elements, not ", names.size()));
  }
  std::span<const double> alphas = node.numbers(Attr::ActivationAlpha);
  std::span<const double> betas = node.numbers(Attr::ActivationBeta);
  size_t alpha = 0, beta = 0;
  std::vector<CellFunction> activations;
  for (std::string_view name : names) {
    const ActivationRow* row = TRY(activation_row(name));
    CellFunction& activation = activations.emplace_back(CellFunction{row->function, row->alpha, row->beta});
    if (row->takes_alpha && alpha < alphas.size()) activation.alpha = alphas[alpha++];
    if (row->takes_beta && beta < betas.size()) activation.beta = betas[beta++];
  }
  return activations;
}

}  // namespace fuselane
