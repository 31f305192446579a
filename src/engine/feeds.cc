#include "engine/feeds.h"

#include <algorithm>

namespace fuselane {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string names_of(std::span<const Port> ports) {
  std::string out;
  for (size_t i = 0; i < ports.size(); ++i) append(out, cat(i == 0 ? "'" : ", '", ports[i].name, "'"));
  return out;
}

// "; did you mean 'x'?" or "; the model has 'a', 'b'"
std::string hint(std::string_view wanted, std::span<const Port> ports, std::string_view what) {
  std::string near = nearest_name(wanted, ports);
  if (!near.empty()) return cat("; did you mean '", near, "'?");
  return ports.empty() ? cat("; the model has no ", what, "s")
                       : cat("; the model's ", what, "s are ", names_of(ports));
}

size_t index_of(std::span<const Port> ports, std::string_view name) {
  size_t i = 0;
  while (i < ports.size() && ports[i].name != name) ++i;
  return i;
}

// The first input with this symbol, and its extent there; there is one, since `inputs` holds the asker too.
std::pair<const Port*, int64_t> binding_of(std::string_view symbol, std::span<const Port> inputs,
                                           const std::vector<TensorView>& views) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t d = 0; d < inputs[i].dims.size() && d < views[i].dims.size(); ++d) {
      if (inputs[i].dims[d].symbol == symbol) return {&inputs[i], views[i].dims[d]};
    }
  }
  return {nullptr, -1};
}

Status check_dims(size_t input, std::span<const Port> inputs, const std::vector<TensorView>& views) {
  const Port& port = inputs[input];
  const TensorView& view = views[input];
  auto refuse = [&](std::string detail) {
    return fail_about(ErrorCode::InvalidInput, port.name,
                      cat("input '", port.name, "' must be ", text_of(port), ", not ", name_of(view.dtype),
                          text_of(view.dims), detail));
  };
  if (!port.ranked) return {};
  if (port.dims.size() != view.dims.size()) return refuse("");
  for (size_t i = 0; i < port.dims.size(); ++i) {
    const PortDim& dim = port.dims[i];
    if (dim.extent >= 0 && dim.extent != view.dims[i]) return refuse("");
    if (dim.extent >= 0 || dim.symbol.empty()) continue;
    auto [first, extent] = binding_of(dim.symbol, inputs, views);
    if (extent != view.dims[i])
      return refuse(cat(": '", dim.symbol, "' is ", extent, " in input '", first->name, "'"));
  }
  return {};
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const Port> ports) {
  std::string best;
  size_t fewest = std::max<size_t>(wanted.size() / 3, 1) + 1;
  for (const Port& port : ports) {
    size_t edits = edit_distance(wanted, port.name);
    if (edits < fewest) {
      fewest = edits;
      best = port.name;
    }
  }
  return best;
}

std::string text_of(const Port& port) {
  if (!port.ranked) return cat(name_of(port.dtype), " of any shape");
  std::string out = cat(name_of(port.dtype), "[");
  for (size_t i = 0; i < port.dims.size(); ++i) {
    if (i > 0) append(out, ",");
    const PortDim& dim = port.dims[i];
    if (dim.extent >= 0) {
      append(out, dim.extent);
    } else {
      append(out, dim.symbol.empty() ? std::string_view("?") : std::string_view(dim.symbol));
    }
  }
  append(out, "]");
  return out;
}

Status match_feeds(std::span<const Port> inputs, const std::vector<Feed>& feeds,
                   const std::vector<TensorView>& views, std::vector<TensorView>& matched) {
  matched.assign(inputs.size(), TensorView());
  for (size_t f = 0; f < feeds.size(); ++f) {
    const std::string& name = feeds[f].name;
    size_t i = index_of(inputs, name);
    if (i == inputs.size()) {
      return fail_about(ErrorCode::InvalidInput, name,
                        cat("there is no input named '", name, "'", hint(name, inputs, "input")));
    }
    if (!views[f].present()) {
      return fail_about(ErrorCode::InvalidInput, name,
                        cat("the tensor for input '", name, "' has been disposed of"));
    }
    if (matched[i].present()) {
      return fail_about(ErrorCode::InvalidInput, name, cat("input '", name, "' is given twice"));
    }
    if (views[f].dtype != inputs[i].dtype) {
      return fail_about(
          ErrorCode::InvalidInput, name,
          cat("input '", name, "' must be ", name_of(inputs[i].dtype), ", not ", name_of(views[f].dtype)));
    }
    matched[i] = views[f];
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!matched[i].present()) {
      return fail_about(ErrorCode::InvalidInput, inputs[i].name,
                        cat("input '", inputs[i].name, "' is missing; it must be ", text_of(inputs[i])));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) TRY(check_dims(i, inputs, matched));
  return {};
}

Status match_outputs(std::span<const Port> outputs, const std::vector<std::string>& names,
                     std::vector<bool>& wanted) {
  wanted.assign(outputs.size(), names.empty());
  for (const std::string& name : names) {
    size_t i = index_of(outputs, name);
    if (i == outputs.size()) {
      return fail_about(ErrorCode::InvalidArgument, name,
                        cat("there is no output named '", name, "'", hint(name, outputs, "output")));
    }
    wanted[i] = true;
  }
  return {};
}

}  // namespace fuselane
