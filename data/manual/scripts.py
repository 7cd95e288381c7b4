# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How a filter is called from scripts, for an image `image` and its layer `layer`."""
import shlex

from pictures import word


def is_operation(row):
    """Whether a filter is an operation of GEGL, too."""
    return not row["resizes"] and not row["creates_image"] and not row["needs_selection"]


# What is selected first where something must be: left and upper edge, width and height.
_SELECTED = (30, 25, 20, 15)


def _select_in_scheme(row):
    """The line of Script-Fu that selects something, or none."""
    words = " ".join(map(str, _SELECTED))
    return f"(gimp-image-select-rectangle image CHANNEL-OP-REPLACE {words})\n" if row["needs_selection"] else ""


def _properties(row, values):
    """Values of parameters by the names that the operation's properties have."""
    names = {param["name"]: param["property"] for param in row["params"]}
    return {names[name]: value for name, value in values.items()}


def _scheme(value):
    """A value as Script-Fu writes it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return '"' + value.replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)


def _all_values(row, values):
    """What GIMP 2.10 wants: a value for each parameter, in order, choices by their number."""
    for param in row["params"]:
        value = values.get(param["name"], param["initial"])
        if param["kind"] == "choice":
            value = param["choices"].index(value) if isinstance(value, str) else value
        if param["kind"] == "toggle":
            value = bool(value)
        yield _scheme(int(value) if param["kind"] in ("choice", "integer") else value)
    if row["takes_aux"]:
        yield "-1"


def script_fu_2(row, values):
    """A call in GIMP 2.10."""
    words = " ".join(["RUN-NONINTERACTIVE", "image", "layer", *_all_values(row, values)])
    return f"{_select_in_scheme(row)}(plug-in-cuda-{row['name']} {words})"


def script_fu_3(row, values):
    """A call in GIMP 3."""
    words = "".join(f"\n  #:{name} {_scheme(value)}" for name, value in values.items())
    return (f"{_select_in_scheme(row)}(plug-in-cuda-{row['name']} #:run-mode RUN-NONINTERACTIVE #:image image\n"
            f"  #:drawables (vector layer){words})")


def effect(row, values):
    """The operation as an effect of a layer, which stays editable; with a second picture GIMP can only merge it."""
    words = "".join(f'\n  "{name}" {_scheme(value)}' for name, value in _properties(row, values).items())
    how = "merge" if row["takes_aux"] else "append"
    return f'(gimp-drawable-{how}-new-filter layer "cuda:{row["name"]}" "" LAYER-MODE-REPLACE 1.0{words})'


def python_fu(row, values):
    """A call in GIMP 3."""
    selects = [f"image.select_rectangle(Gimp.ChannelOps.REPLACE, {', '.join(map(str, _SELECTED))})"]
    return "\n".join([
        *(selects if row["needs_selection"] else []),
        f'procedure = Gimp.get_pdb().lookup_procedure("plug-in-cuda-{row["name"]}")',
        "config = procedure.create_config()",
        'config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)',
        'config.set_property("image", image)',
        'config.set_core_object_array("drawables", [layer])',
        *[f'config.set_property("{name}", {value!r})' for name, value in values.items()],
        "procedure.run(config)"])


def command_line(row, values):
    """The operation by the command gegl."""
    words = [shlex.quote(f"{name}={word(value)}") for name, value in _properties(row, values).items()]
    return " ".join(["gegl in.png -o out.png --", f"cuda:{row['name']}", *words])


def all_scripts(row, values):
    """Each with what runs it, whether it is the operation, the language of the code, and the code."""
    yield "Script-Fu, GIMP 3", False, "scheme", script_fu_3(row, values)
    if is_operation(row):
        yield "Script-Fu, GIMP 3", True, "scheme", effect(row, values)
    yield "Python-Fu, GIMP 3", False, "python", python_fu(row, values)
    yield "Script-Fu, GIMP 2.10", False, "scheme", script_fu_2(row, values)
