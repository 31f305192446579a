#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the benchmark zoo as ONNX files: well-known architectures, seeded random weights.

    apt-get install -y --no-install-recommends python3-torch python3-torchvision python3-onnx
    /usr/bin/python3 export_models.py OUT_DIR [NAME ...]      # no NAME: all; --list: the names

Speed depends on the architecture, not on what the weights were trained for, so random weights serve; they
are scaled so that the answer depends on the input (two pictures give answers that differ by a tenth of the
largest value or more), which makes comparing outputs a real test. BatchNorm statistics come from pictures. Opset 15, fixed batch 1 unless the
name ends in _dyn (symbolic dimensions).
"""
import sys, warnings
from pathlib import Path
import torch, torchvision
from torch import nn
warnings.filterwarnings("ignore")
V = torchvision.models


def picture(size, batch=1):
    """Smooth structure at several scales plus a little noise, unit variance: what a photo is to a network."""
    x = 0.3 * torch.randn(batch, 3, size, size)
    for n in (2, 5, 13, 40):
        x = x + nn.functional.interpolate(torch.randn(batch, 3, n, n), size=(size, size), mode="bilinear", align_corners=False)
    return x / x.std()


def enliven(model, example):
    """Makes the output depend on the input, so that comparing outputs tests the kernels.

    With torch's initial weights a deep CNN answers almost only with its last bias. Weights get unit gain,
    BatchNorm statistics come from a few pictures, and layers that start at (near) zero get something to compute.
    """
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.weight.data.uniform_(0.7, 1.3)
            m.bias.data.normal_(0, 0.2)
        for name, p in m.named_parameters(recurse=False):
            if name == "layer_scale":
                p.data.fill_(0.3)
    if example.dim() == 4:                                   # image networks; transformers are normalised already
        for m in model.modules():
            if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
                nn.init.kaiming_normal_(m.weight, nonlinearity="linear")
            if isinstance(m, nn.BatchNorm2d):
                m.train()
                m.momentum = None
                m.reset_running_stats()
        with torch.no_grad():
            for _ in range(4):
                model(picture(example.shape[-1], 2))
    return model


class Encoder(nn.Module):
    """BERT-style encoder at all-MiniLM-L6 size: 6 layers, width 384, 12 heads, feed-forward 1536."""

    def __init__(self, layers=6, width=384, heads=12, hidden=1536, vocab=30522):
        super().__init__()
        self.heads = heads
        self.words, self.places, self.types = nn.Embedding(vocab, width), nn.Embedding(512, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(nn.ModuleDict(dict(
            q=nn.Linear(width, width), k=nn.Linear(width, width), v=nn.Linear(width, width), o=nn.Linear(width, width),
            n1=nn.LayerNorm(width, eps=1e-12), n2=nn.LayerNorm(width, eps=1e-12),
            up=nn.Linear(width, hidden), down=nn.Linear(hidden, width))) for _ in range(layers))

    def forward(self, input_ids, attention_mask, token_type_ids):
        b, s = input_ids.shape
        x = self.norm(self.words(input_ids) + self.types(token_type_ids) + self.places.weight[:s])
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(torch.float32).min
        for l in self.layers:
            split = lambda t: t.view(b, s, self.heads, -1).transpose(1, 2)
            q, k, v = split(l["q"](x)), split(l["k"](x)), split(l["v"](x))
            a = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + mask, -1)
            x = l["n1"](x + l["o"]((a @ v).transpose(1, 2).reshape(b, s, -1)))
            x = l["n2"](x + l["down"](nn.functional.gelu(l["up"](x))))
        return x


class Decoder(nn.Module):
    """GPT-2-style decoder step with a key/value cache: 4 layers, width 256, 8 heads."""

    def __init__(self, layers=4, width=256, heads=8, vocab=8000, context=512):
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.layers = nn.ModuleList(nn.ModuleDict(dict(
            n1=nn.LayerNorm(width), qkv=nn.Linear(width, 3 * width), o=nn.Linear(width, width),
            n2=nn.LayerNorm(width), up=nn.Linear(width, 4 * width), down=nn.Linear(4 * width, width))) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, input_ids, past):                      # past: [layers, 2, batch, heads, past_len, width/heads]
        b, s = input_ids.shape
        p = past.shape[4]
        x = self.words(input_ids) + self.places(torch.arange(s) + p)
        causal = torch.arange(s)[:, None] + p >= torch.arange(p + s)[None, :]
        present = []
        for i, l in enumerate(self.layers):
            q, k, v = l["qkv"](l["n1"](x)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            k, v = torch.cat([past[i, 0], k], 2), torch.cat([past[i, 1], v], 2)
            present.append(torch.stack([k, v]))
            a = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(~causal, -1e9)
            x = x + l["o"]((torch.softmax(a, -1) @ v).transpose(1, 2).reshape(b, s, -1))
            x = x + l["down"](nn.functional.gelu(l["up"](l["n2"](x)), approximate="tanh"))
        return self.head(self.norm(x)), torch.stack(present)


class MatMul(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n, n) / n ** 0.5)

    def forward(self, x):
        return x @ self.w


class UNet(nn.Module):
    """Small U-Net: 3x3 convolutions, max-pool, transposed convolutions, skip concatenation."""

    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())
        self.down = nn.ModuleList(block(i, o) for i, o in zip((3,) + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(o, i, 2, 2) for i, o in zip(widths[-2::-1], widths[:0:-1]))
        self.mix = nn.ModuleList(block(2 * w, w) for w in widths[-2::-1])
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for i, d in enumerate(self.down):
            x = d(nn.functional.max_pool2d(x, 2) if i else x)
            skips.append(x)
        for u, m, s in zip(self.up, self.mix, skips[-2::-1]):
            x = m(torch.cat([u(x), s], 1))
        return torch.sigmoid(self.out(x))


def image(size=224):
    return picture(size)


def tokens(s):
    return torch.randint(0, 30522, (1, s)), torch.ones(1, s, dtype=torch.int64), torch.zeros(1, s, dtype=torch.int64)


IDS = ["input_ids", "attention_mask", "token_type_ids"]
ZOO = {  # name: (module, example inputs, export options)
    "matmul_256": lambda: (MatMul(256), torch.randn(256, 256), {}),
    "matmul_1024": lambda: (MatMul(1024), torch.randn(1024, 1024), {}),
    "squeezenet1_1": lambda: (V.squeezenet1_1(weights=None), image(), {}),
    "mobilenet_v2": lambda: (V.mobilenet_v2(weights=None), image(), {}),
    "mobilenet_v3_small": lambda: (V.mobilenet_v3_small(weights=None), image(), {}),
    "shufflenet_v2": lambda: (V.shufflenet_v2_x1_0(weights=None), image(), {}),
    "efficientnet_b0": lambda: (V.efficientnet_b0(weights=None), image(), {}),
    "resnet18": lambda: (V.resnet18(weights=None), image(), {}),
    "resnet50": lambda: (V.resnet50(weights=None), image(), {}),
    "googlenet": lambda: (V.googlenet(weights=None, aux_logits=False, init_weights=False), image(), {}),
    "inception_v3": lambda: (V.inception_v3(weights=None, aux_logits=False, init_weights=False), image(299), {}),
    "densenet121": lambda: (V.densenet121(weights=None), image(), {}),
    "convnext_tiny": lambda: (V.convnext_tiny(weights=None), image(), {}),
    "lraspp_mobilenet_v3": lambda: (Only(V.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None), "out"), image(256), {}),
    "unet_small": lambda: (UNet(), image(256), {}),
    "vit_tiny16": lambda: (V.VisionTransformer(224, 16, 12, 3, 192, 768), image(), {}),
    "minilm_s128": lambda: (Encoder(), tokens(128), dict(input_names=IDS)),
    "minilm_dyn": lambda: (Encoder(), tokens(128), dict(input_names=IDS, dynamic_axes={n: {0: "batch", 1: "sequence"} for n in IDS + ["output"]})),
    "decoder_dyn": lambda: (Decoder(), (torch.randint(0, 8000, (1, 1)), torch.randn(4, 2, 1, 8, 16, 32)),
                            dict(input_names=["input_ids", "past"], output_names=["logits", "present"],
                                 dynamic_axes={"input_ids": {1: "sequence"}, "past": {4: "past"}, "present": {4: "total"}, "logits": {1: "sequence"}})),
}


class Only(nn.Module):
    def __init__(self, model, key):
        super().__init__()
        self.model, self.key = model, key

    def forward(self, x):
        return self.model(x)[self.key]


def main():
    if "--list" in sys.argv:
        return print("\n".join(ZOO))
    out, names = Path(sys.argv[1]), sys.argv[2:] or list(ZOO)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        torch.manual_seed(0)
        model, example, options = ZOO[name]()
        options = {"input_names": ["input"], "output_names": ["output"], **options}
        torch.onnx.export(enliven(model.eval(), example[0] if isinstance(example, tuple) else example).eval(), example, str(out / f"{name}.onnx"), opset_version=15, **options)
        print(f"{name}.onnx {(out / f'{name}.onnx').stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
