#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models of tests/models/: one for each opset that exporters left behind and each kind of network.

    /usr/bin/python3 tools/zoo/tiny_models.py [OUT_DIR]       # tests/models by default

The files are in git; this is run when one is added or changed. Weights are random from fixed seeds and such that the
outputs depend on the inputs. Needs the packages of export_models.py.
"""
import sys, warnings
from pathlib import Path
import torch
from torch import nn
from export_models import Decoder, Encoder, UNet, enliven, picture
from graph_builder import Graph
warnings.filterwarnings("ignore")


class MobileBlock(nn.Module):
    """Inverted residual with squeeze-and-excitation, as in MobileNetV3, with its BatchNorm before the convolution."""

    def __init__(self, width, hidden, kernel, activation):
        super().__init__()
        self.norm = nn.BatchNorm2d(width)
        self.up = nn.Conv2d(width, hidden, 1)
        self.depthwise = nn.Conv2d(hidden, hidden, kernel, padding=kernel // 2, groups=hidden)
        self.squeeze, self.excite = nn.Conv2d(hidden, hidden // 4, 1), nn.Conv2d(hidden // 4, hidden, 1)
        self.down = nn.Conv2d(hidden, width, 1)
        self.activation = activation

    def forward(self, x):
        y = self.activation(self.depthwise(self.activation(self.up(self.norm(x)))))
        scale = self.excite(torch.relu(self.squeeze(nn.functional.adaptive_avg_pool2d(y, 1))))
        return x + self.down(y * nn.functional.hardsigmoid(scale))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(MobileBlock(16, 32, 3, nn.ReLU6()), MobileBlock(16, 48, 5, nn.Hardswish()))
        self.grouped = nn.Conv2d(16, 32, 3, padding=2, dilation=2, groups=4)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(nn.functional.silu(self.stem(x)), 3, 2, 1)
        x = nn.functional.avg_pool2d(nn.functional.leaky_relu(self.grouped(self.blocks(x)), 0.1), 2, ceil_mode=True)
        return torch.softmax(self.head(x.mean((2, 3))), 1)


class Recurrent(nn.Module):
    """A bidirectional LSTM, then a GRU, whose states come in and go out."""

    def __init__(self, width=12, hidden=16):
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, bidirectional=True)
        self.gru = nn.GRU(2 * hidden, hidden)
        self.head = nn.Linear(hidden, 5)

    def forward(self, x, h, c, g):
        x, (h, c) = self.lstm(x, (h, c))
        x, g = self.gru(x, g)
        return torch.tanh(self.head(x)), h, c, g


def legacy(path):
    """Opset 7: attributes that later became inputs, initializers that are inputs as well."""
    g = Graph("legacy", 7)
    x = g.input("input", "float", [1, 3, 20, 24])
    x = g.node("Pad", x, pads=[0, 0, 1, 2, 0, 0, 1, 2], mode="reflect")
    x = g.node("Conv", x, g.weight(8, 3, 3, 3, storage="typed"), g.weight(8, fan_in=9), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    x = g.node("InstanceNormalization", x, g.around(1, 8), g.around(0, 8), epsilon=1e-3)
    x = g.node("PRelu", x, g.around(0.2, 8, 1, 1))
    y = g.node("BatchNormalization", x, *(g.around(c, 8) for c in (1, 0, 0, 1)), epsilon=1e-4)
    y = g.node("LeakyRelu", y, alpha=0.3)
    y = g.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = g.node("Upsample", y, mode="nearest", scales=[1.0, 1.0, 2.0, 2.0])
    x = g.node("Slice", x, axes=[2, 3], starts=[0, 0], ends=[-1, 14])
    y = g.node("Slice", y, axes=[2], starts=[0], ends=[10])
    x = g.node("Concat", x, y, axis=1)
    x = g.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2], count_include_pad=1)
    x = g.node("Dropout", x, ratio=0.4)
    a, b = g.node("Split", x, outputs=2, axis=1, split=[4, 12])
    a = g.node("ReduceMean", a, axes=[2, 3], keepdims=0)
    b = g.node("ReduceMax", g.node("Clip", b, min=-1.5, max=2.5), axes=[2, 3], keepdims=1)
    b = g.node("Squeeze", b, axes=[2, 3])
    x = g.node("Concat", g.node("Unsqueeze", a, axes=[0]), g.node("Unsqueeze", b, axes=[0]), axis=2)
    g.output(g.node("Softmax", x, axis=1), "shares", "float", [1, 1, 16])
    x = g.node("Gemm", g.node("Flatten", x), g.weight(6, 16), g.weight(1, 6), transB=1, alpha=0.9, beta=0.5)
    g.output(g.node("LogSoftmax", x, axis=1), "output", "float", [1, 6])
    g.save(path, initializers_are_inputs=True)


def volumes(path):
    """Opset 12: one- and three-dimensional convolutions and pools, transposed ones, every way to pad.

    Where versions of the specification contradict each other the case does not arise: paddings that a given
    output_shape leads to are even, and averages do not count padding.
    """
    g = Graph("volumes", 12)
    x = g.input("signal", "float", [2, 4, 50])
    x = g.node("Conv", x, g.weight(8, 4, 5), g.weight(8, fan_in=9), dilations=[2], pads=[4, 4])
    x = g.node("Conv", g.node("Relu", x), g.weight(8, 2, 3), group=4, strides=[2], auto_pad="SAME_LOWER")
    x = g.node("MaxPool", x, kernel_shape=[3], strides=[2], pads=[0, 1], ceil_mode=1)
    x = g.node("ConvTranspose", x, g.weight(8, 3, 4), g.weight(6, fan_in=9), group=2, strides=[3], pads=[1, 0], output_padding=[2])
    g.output(x, "upsampled", "float", [2, 6, 41])
    y = g.input("volume", "float", [1, 2, 7, 9, 10])
    y = g.node("Conv", y, g.weight(6, 2, 3, 3, 2), strides=[1, 2, 1], pads=[1, 0, 1, 1, 2, 0])
    y = g.node("AveragePool", g.node("Sigmoid", y), kernel_shape=[2, 3, 3], strides=[2, 1, 2], pads=[0, 1, 1, 0, 1, 0], ceil_mode=1)
    y = g.node("ConvTranspose", y, g.weight(6, 2, 3, 3, 3), strides=[2, 1, 2], output_shape=[7, 5, 9])
    g.output(y, "filtered", "float", [1, 2, 7, 5, 9])
    g.output(g.node("GlobalMaxPool", y), "peaks", "float", [1, 2, 1, 1, 1])
    g.save(path)


def resize(path):
    """Opset 13: Resize by scales and by sizes in every mode and most coordinate transformations.

    The scales are such that no coordinate of a nearest pixel falls on an edge, where rounding would decide.
    """
    g = Graph("resize", 13)
    x = g.input("input", "float", [1, 2, 11, 13])
    scales, sizes = g.constant([1, 1, 1.65, 0.57]), g.ints(1, 2, 7, 30)
    kinds = [("nearest", "asymmetric", dict(nearest_mode="floor"), scales),
             ("nearest", "half_pixel", dict(nearest_mode="round_prefer_ceil"), sizes),
             ("linear", "half_pixel", {}, sizes), ("linear", "align_corners", {}, scales),
             ("linear", "asymmetric", {}, sizes), ("linear", "pytorch_half_pixel", {}, scales),
             ("cubic", "half_pixel", dict(cubic_coeff_a=-0.5), sizes),
             ("cubic", "align_corners", dict(exclude_outside=1), scales)]
    for mode, coordinates, more, target in kinds:
        operands = [x, "", target] if target == scales else [x, "", "", target]
        y = g.node("Resize", *operands, mode=mode, coordinate_transformation_mode=coordinates, **more)
        dims = [1, 2, 18, 7] if target == scales else [1, 2, 7, 30]
        g.output(y, f"{mode}_{coordinates}", "float", dims)
    box = g.constant([0, 0, 0.2, 0.1, 1, 1, 1.2, 0.8])
    y = g.node("Resize", x, box, "", sizes, mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=0.25)
    g.output(y, "linear_tf_crop_and_resize", "float", [1, 2, 7, 30])
    g.save(path)


def integers(path):
    """Opset 13: what models do to shapes, masks, indices and pixels, in the integer and boolean types and float64."""
    g = Graph("integers", 13)
    ids, pixels, small = g.input("ids", "int64", [2, "n"]), g.input("pixels", "uint8", [2, 3, 4]), g.input("small", "int32", [4])
    n = g.node("Gather", g.node("Shape", ids), g.constant(1, "int64"), axis=0)
    places = g.node("Range", g.constant(0, "int64", "node"), n, g.constant(1, "int64", "node"))
    odd = g.node("Equal", g.node("Sub", ids, g.node("Mul", g.node("Div", ids, g.ints(2)), g.ints(2, storage="typed"))), g.ints(1))
    early = g.node("LessOrEqual", ids, g.node("Expand", places, g.node("Shape", ids)))
    g.output(g.node("And", odd, g.node("Not", early)), "mask", "bool", [2, "n"])
    g.output(g.node("Where", g.node("Or", odd, early), ids, g.node("Neg", ids)), "chosen", "int64", [2, "n"])
    g.output(g.node("ArgMax", ids, axis=1, keepdims=0), "last", "int64", [2])
    wide = g.node("Cast", pixels, to=6)
    g.output(g.node("ReduceSum", wide, g.ints(1), keepdims=0), "sums", "int32", [2, 4])
    g.output(g.node("ReduceMax", g.node("Max", wide, small), axes=[0, 2], keepdims=0), "brightest", "int32", [3])
    g.output(g.node("Slice", pixels, g.ints(-1), g.ints(-5), g.ints(2), g.ints(-2)), "backwards", "uint8", [2, 3, 2])
    g.output(g.node("Tile", g.node("Transpose", pixels, perm=[2, 0, 1]), g.ints(1, 2, 1)), "tiled", "uint8", [4, 4, 3])
    g.output(g.node("Cast", g.node("Pad", wide, g.ints(0, 1, 0, 0, 0, 2), g.constant(-7, "int32")), to=3), "bordered", "int8", [2, 4, 6])
    double = g.node("Cast", small, to=11)
    g.output(g.node("Sqrt", g.node("Abs", g.node("Div", double, g.constant([3.0, 7.0, 0.25, 9.0], "double")))), "roots", "double", [4])
    ratio = g.node("Div", g.node("Cast", pixels, to=1), g.constant(51.0))
    g.output(g.node("ReduceL2", g.node("Min", g.node("Exp", ratio), g.node("Ceil", ratio)), axes=[1, 2], keepdims=0), "norms", "float", [2])
    g.output(g.node("Cast", g.node("Floor", g.node("ReduceMin", ratio, axes=[-1])), to=9), "light", "bool", [2, 3, 1])
    g.output(g.node("Cast", g.node("Floor", g.node("Pow", double, g.constant(0.45, "float"))), to=7), "floors", "int64", [4])
    g.save(path)


def branch(path):
    """Opset 16: an If inside an If that use values of the graph around them and give different shapes."""
    g = Graph("branch", 16)
    x, mode = g.input("x", "float", ["n", 6]), g.input("mode", "int64", [])
    h = g.node("Tanh", g.node("MatMul", x, g.weight(6, 8, fan_in=6)))

    def side(name, build):
        b = Graph(name, 16, seed=len(name), prefix=f"{name}_")
        values = build(b)
        for i, value in enumerate(values):
            b.output(value, f"{name}_out{i}", "float", [None, None] if i == 0 else [None])
        return b.proto()

    def wide(b):
        y = b.node("MatMul", h, b.weight(8, 4, fan_in=8))
        return [y, b.node("ReduceMean", y, axes=[0], keepdims=0)]

    def tall(b):
        y = b.node("Concat", x, b.node("Neg", x), axis=0)
        return [y, b.node("ReduceSum", y, b.ints(1), keepdims=0)]

    def either(b):
        negative = b.node("Less", mode, b.constant(0, "int64"))
        return b.node("If", negative, outputs=2, then_branch=side("tall", tall), else_branch=side("outer", lambda e: [h, e.node("ReduceMax", h, axes=[0], keepdims=0)]))

    positive = g.node("Greater", mode, g.constant(0, "int64", "node"))
    y, z = g.node("If", positive, outputs=2, then_branch=side("wide", wide), else_branch=side("inner", either))
    g.output(g.node("Mul", y, g.constant(2.0)), "matrix", "float", ["rows", "columns"])
    g.output(z, "vector", "float", ["entries"])
    g.save(path)


IDS = ["input_ids", "attention_mask", "token_type_ids"]
BY_TORCH = {  # name: (module, example inputs, opset, export options)
    "convnet_13": lambda: (ConvNet(), picture(32), 13, {}),
    "encoder_9": lambda: (Encoder(2, 32, 4, 64, 200), ids(7), 9, dict(input_names=IDS)),
    "encoder_17": lambda: (Encoder(2, 32, 4, 64, 200), ids(7), 17,
                           dict(input_names=IDS, dynamic_axes={n: {0: "batch", 1: "sequence"} for n in IDS + ["output"]})),
    "decoder_14": lambda: (Decoder(2, 32, 4, 120, 64), (torch.randint(0, 120, (1, 3)), torch.randn(2, 2, 1, 4, 5, 8)), 14,
                           dict(input_names=["input_ids", "past"], output_names=["logits", "present"],
                                dynamic_axes={"input_ids": {1: "sequence"}, "past": {4: "past"}, "present": {4: "total"}, "logits": {1: "sequence"}})),
    "unet_11": lambda: (UNet((8, 12, 16)), picture(40), 11, {}),
    "recurrent_14": lambda: (Recurrent(), (torch.randn(6, 2, 12), torch.randn(2, 2, 16), torch.randn(2, 2, 16), torch.randn(1, 2, 16)), 14,
                             dict(input_names=["input", "h", "c", "g"], output_names=["output", "hn", "cn", "gn"],
                                  dynamic_axes={"input": {0: "steps"}, "output": {0: "steps"}})),
}
BY_HAND = {"legacy_7": legacy, "volumes_12": volumes, "resize_13": resize, "integers_13": integers, "branch_16": branch}


def ids(s):
    return torch.randint(0, 200, (1, s)), torch.ones(1, s, dtype=torch.int64), torch.zeros(1, s, dtype=torch.int64)


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tests" / "models"
    out.mkdir(parents=True, exist_ok=True)
    for name, build in BY_TORCH.items():
        torch.manual_seed(0)
        module, example, opset, options = build()
        module = enliven(module.eval(), example[0] if isinstance(example, tuple) else example).eval()
        options = {"input_names": ["input"], "output_names": ["output"], **options}
        torch.onnx.export(module, example, str(out / f"{name}.onnx"), opset_version=opset, **options)
    for name, build in BY_HAND.items():
        build(out / f"{name}.onnx")
    for name in sorted([*BY_TORCH, *BY_HAND]):
        print(f"{name}.onnx {(out / f'{name}.onnx').stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
