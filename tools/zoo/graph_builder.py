# SPDX-License-Identifier: Apache-2.0
"""Builds small ONNX models node by node, for what torch does not export: old opsets, odd attributes, branches.

Weights are random from the builder's seed, scaled to keep the size of what they multiply.
"""
import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

NUMPY = {"float": np.float32, "double": np.float64, "int64": np.int64, "int32": np.int32, "int8": np.int8,
         "uint8": np.uint8, "bool": np.bool_}


class Graph:
    """`opset` is the version of the default domain; the IR version is the one that went with it."""

    def __init__(self, name, opset, seed=1, prefix=""):
        self.name, self.opset, self.prefix = name, opset, prefix
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []

    def node(self, op, *inputs, outputs=1, **attributes):
        """Appends a node; its outputs are named after it. Returns the name, or a list when there are several."""
        name = f"{self.prefix}{op.lower()}_{len(self.nodes)}"
        outs = [name] if outputs == 1 else [f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), outs, name=name, **attributes))
        return outs[0] if outputs == 1 else outs

    def constant(self, value, dtype="float", storage="raw"):
        """A constant tensor; `storage`: raw or typed data of an initializer, or the value of a Constant node."""
        array = np.array(value, dtype=NUMPY[dtype])
        name = f"{self.prefix}c{len(self.initializers) + len(self.nodes)}"
        if storage == "typed":
            kind = helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]
            tensor = helper.make_tensor(name, kind, array.shape, array.flatten())
        else:
            tensor = numpy_helper.from_array(array, name)
        if storage == "node":
            return self.node("Constant", value=tensor)
        self.initializers.append(tensor)
        return name

    def ints(self, *values, storage="raw"):
        return self.constant(values, "int64", storage)

    def weight(self, *shape, fan_in=None, storage="raw"):
        fan_in = fan_in or int(np.prod(shape[1:])) or 1
        return self.constant(self.rng.normal(0, fan_in ** -0.5, shape), storage=storage)

    def around(self, center, *shape, storage="raw"):
        return self.constant(center + self.rng.uniform(-0.3, 0.3, shape), storage=storage)

    def input(self, name, dtype, dims):
        self.inputs.append(helper.make_tensor_value_info(name, getattr(TensorProto, dtype.upper()), dims))
        return name

    def output(self, value, name, dtype, dims):
        """Names a value as an output through an Identity."""
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"out_{name}"))
        self.outputs.append(helper.make_tensor_value_info(name, getattr(TensorProto, dtype.upper()), dims))

    def proto(self):
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)

    def save(self, path, initializers_are_inputs=False):
        graph = self.proto()
        if initializers_are_inputs:                          # as IR version 3 wants it
            graph.input.extend(helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in graph.initializer)
        model = helper.make_model(graph, producer_name="fuselane tools/zoo", opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 3 if initializers_are_inputs else 8
        checker.check_model(model, full_check=True)
        path.write_bytes(model.SerializeToString())
