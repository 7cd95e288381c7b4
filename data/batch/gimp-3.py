# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters many pictures, a file at a time, from Python-Fu in GIMP 3.

docs/batch.md shows how to call it; the command cuda-batch beside this file does it for you.
"""
import glob
import os
import sys

_OPAQUE = ("jpg", "jpeg", "ppm", "pgm", "pnm")


def _files_of(word):
    """The files that a word means: of a folder, of a pattern in the last part of a path, or one file.

    What means none is taken for a file, which will turn out not to be there.
    """
    if os.path.isfile(word):
        return [word]
    folder, name = (word, "*") if os.path.isdir(word) else os.path.split(word)
    pattern = os.path.join(glob.escape(folder), name.replace("[", "[[]"))  # only * and ? are special
    found = [path for path in glob.glob(pattern) if os.path.isfile(path)]
    return [word] if not found and not os.path.isdir(word) else found


def _call(name, **arguments):
    """Calls a procedure; raises RuntimeError with its message if it fails."""
    procedure = Gimp.get_pdb().lookup_procedure(name)
    config = procedure.create_config()
    config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)
    drawables = arguments.pop("drawables")
    for key, value in arguments.items():
        config.set_property(key, value)
    config.set_core_object_array("drawables", drawables)
    if procedure.run(config).index(0) != Gimp.PDBStatusType.SUCCESS:
        raise RuntimeError(Gimp.get_pdb().get_last_error())


def _filter(source, steps, target):
    """Filters one picture; raises with the reason if that fails."""
    quiet = Gimp.RunMode.NONINTERACTIVE
    image = Gimp.file_load(quiet, Gio.File.new_for_path(source))
    if image is None:
        raise RuntimeError(Gimp.get_pdb().get_last_error())
    try:
        if image.get_base_type() == Gimp.ImageBaseType.INDEXED:
            image.convert_rgb()
        layers = image.get_layers()
        if len(layers) > 1:
            layers = [image.merge_visible_layers(Gimp.MergeType.CLIP_TO_IMAGE)]
        _call("plug-in-cuda-chain", image=image, drawables=layers, steps=steps)
        if target.rpartition(".")[2] in _OPAQUE:
            Gimp.context_set_background(Gegl.Color.new("white"))
            image.flatten()
        if not Gimp.file_save(quiet, image, Gio.File.new_for_path(target), None):
            raise RuntimeError(Gimp.get_pdb().get_last_error())
    finally:
        image.delete()


def cuda_batch(pictures, steps, folder, format, k=1, n=1):
    """Filters every picture that the words of `pictures` mean: folders, patterns, files.

    `steps` is what plug-in-cuda-chain takes; the results go to `folder` in `format`, such as "png".
    Several layers are merged first, colours that are indexed become RGB. `k` of `n` takes the k-th
    part only, so that n GIMPs can share the work. A picture that fails is told of and the rest goes
    on; at the end that is an error.
    """
    def target_of(file):
        return f"{folder}/{os.path.splitext(os.path.basename(file))[0]}.{format}"

    jobs = sorted(((target_of(file), file) for word in pictures for file in _files_of(word)),
                  key=lambda job: [path.encode() for path in job])
    if not Gimp.get_pdb().procedure_exists("plug-in-cuda-chain"):
        raise RuntimeError(
            "plug-in-cuda-chain is missing: the CUDA filters are not installed for this GIMP.")
    if not jobs:
        raise RuntimeError("There are no pictures to filter.")
    failed = 0
    for i in range(k - 1, len(jobs), n):
        target, source = jobs[i]
        outcome = "ok"
        try:
            if i > 0 and jobs[i - 1][0] == target:
                raise RuntimeError(
                    "its result would replace that of another picture of the same name")
            if target == source:
                raise RuntimeError("its result would replace it")
            _filter(source, steps, target)
        except Exception as error:  # whatever it is, the next picture may be better
            outcome = "FAILED: " + " ".join(str(error).split())
            failed += 1
        shown = source.replace("\n", " ")
        print(f"[{i + 1}/{len(jobs)}] {shown} {outcome}", file=sys.stderr, flush=True)
    print("cuda-batch: finished", file=sys.stderr, flush=True)
    if failed:
        raise RuntimeError(f"cuda-batch: {failed} pictures failed, see above.")
