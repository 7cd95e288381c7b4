# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
# What a GIMP 3 does for the command cuda-batch, by Python-Fu: the command runs this file and then a
# call of cuda_batch.


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


def _filter(source, steps, flat, result):
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
        if flat:
            Gimp.context_set_background(Gegl.Color.new("white"))
            image.flatten()
        if not Gimp.file_save(quiet, image, Gio.File.new_for_path(result), None):
            raise RuntimeError(Gimp.get_pdb().get_last_error())
    finally:
        image.delete()


def cuda_batch(steps, flat, answers, pictures):
    """Applies `steps`, as plug-in-cuda-chain takes them, to `pictures`: tuples of a number, a file to
    read and a file to write.

    Several layers are merged first, colors that are indexed become RGB, and if `flat` is true,
    transparency becomes white. After each picture, the pipe `answers` gets its number and what it
    failed with, if it did, and the character 30.
    """
    if not Gimp.get_pdb().procedure_exists("plug-in-cuda-chain"):
        raise RuntimeError(
            "plug-in-cuda-chain is missing: the CUDA filters are not installed for this GIMP.")
    for index, source, result in pictures:
        answer = f"{index}"
        try:
            _filter(source, steps, flat, result)
        except Exception as error:  # whatever it is, the next picture may be better
            answer += f" {str(error) or repr(error)}"
        with open(answers, "w", encoding="utf-8", errors="replace") as pipe:
            pipe.write(answer + "\x1e")
