# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Images in a color space of their own, whose tone curve is a table that no formula describes."""
import struct

import numpy as np
import pytest

import engine
import xcf
from cases import picture
from scenarios import Scenario, outcome


def _odd_curve(encoded):
    """Steep in the middle, unlike any gamma."""
    return 0.5 * encoded + 0.5 * (encoded - np.sin(2 * np.pi * encoded) / (2 * np.pi))


def _profile():
    """An ICC profile of version 2 with sRGB's primaries and the odd curve."""
    def fixed(*values):
        return struct.pack(f">{len(values)}i", *(round(value * 65536) for value in values))

    curve = np.rint(_odd_curve(np.arange(4096) / 4095) * 65535).astype(">u2")
    text = b"Odd curve\0"
    tags = {
        b"desc": b"desc" + struct.pack(">II", 0, len(text)) + text + bytes(78),
        b"cprt": b"text" + bytes(4) + b"None\0",
        b"wtpt": b"XYZ \0\0\0\0" + fixed(0.9642, 1, 0.8249),
        b"rXYZ": b"XYZ \0\0\0\0" + fixed(0.4360, 0.2225, 0.0139),
        b"gXYZ": b"XYZ \0\0\0\0" + fixed(0.3851, 0.7169, 0.0971),
        b"bXYZ": b"XYZ \0\0\0\0" + fixed(0.1431, 0.0606, 0.7139),
    }
    for color in b"rgb":
        tags[bytes([color]) + b"TRC"] = b"curv" + struct.pack(">II", 0, 4096) + curve.tobytes()
    table, data = struct.pack(">I", len(tags)), b""
    begin = 128 + 4 + 12 * len(tags)
    for name, tag in tags.items():
        table += name + struct.pack(">II", begin + len(data), len(tag))
        data += tag + bytes(-len(tag) % 4)
    header = struct.pack(">I4sI4s4s4s", begin + len(data), b"test", 0x02100000, b"mntr", b"RGB ",
                         b"XYZ ") + bytes(12) + b"acsp" + bytes(28) + fixed(0.9642, 1, 0.8249)
    return header.ljust(128, b"\0") + table + data


def _image(number):
    return xcf.Image([xcf.Layer(picture(number, 4))], icc=_profile())


STEPS = [("multiply", {"value": 0.7}), ("gaussian-blur", {"std-dev-x": 3.0, "std-dev-y": 3.0}),
         ("gray-world", {}), ("invert", {"light": "linear"}), ("median-blur", {"radius": 2})]


def _chain(gimp):
    words = " | ".join(" ".join([name, *(f"{key}={value}" for key, value in values.items())])
                       for name, values in STEPS)
    return gimp.call(engine.find("chain"), {"steps": words})


def _separate(gimp):
    return "\n".join(gimp.call(engine.find(name), values) for name, values in STEPS)


SCENARIOS = tuple(Scenario(f"{name}-{number}", _image(number), body)
                  for number in ("u1", "f4") for name, body in (
                      ("chain", _chain), ("separate", _separate),
                      ("linear", lambda gimp: gimp.call(engine.find("invert"), {"light": "linear"}))))


def _pixels(gimp, name):
    found = outcome(gimp, SCENARIOS, next(s for s in SCENARIOS if s.name == name))
    assert found.message == "ok"
    return found.image.layers[0].pixels


def test_chain_equals_the_separate_calls(gimp):
    """In 32-bit floats a chain gives what its steps give one by one; babl converts as it pleases."""
    np.testing.assert_allclose(_pixels(gimp, "chain-f4"), _pixels(gimp, "separate-f4"), 0, 1e-6)


def _srgb_curve(encoded):
    return np.where(encoded <= 0.04045, encoded / 12.92,
                    (np.maximum(encoded, 0) + 0.055) ** 2.4 / 1.055 ** 2.4)


@pytest.mark.parametrize("number", ["u1", "f4"])
def test_light_is_that_of_the_curve(gimp, number):
    """Inverting in linear light goes by the table, forth and back; GIMP 2.10 takes all for sRGB."""
    curve = _odd_curve if gimp.is3 else _srgb_curve
    top = 255.0 if number == "u1" else 1.0
    before, after = picture(number, 4)[..., :3] / top, _pixels(gimp, f"linear-{number}")[..., :3] / top
    grid = np.arange(65537) / 65536
    wanted = np.interp(1 - curve(before), curve(grid), grid)
    inside = (before > 0.02) & (before < 0.98)
    assert np.abs(after - wanted)[inside].max() < (0.6 / 255 if number == "u1" else 1e-3)
