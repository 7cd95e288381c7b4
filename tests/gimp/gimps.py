# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The GIMPs to test with, each with the plug-in in a profile of its own."""
import gettext
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import warnings
from functools import lru_cache

from engine import BUILD, SOURCE

PLUGIN = "cuda-filters"
IN_ROOT = SOURCE / "tests/gimp/in-root"
# The languages of the catalogs, and their locales where these are not such as "de_DE".
LANGUAGES = (SOURCE / "po/LINGUAS").read_text().split()
LOCALES = {"ja": "ja_JP", "zh_CN": "zh_CN"}
_SYSTEM_PLUGINS = ("script-fu", "file-png", "file-glob", "python-eval", "help", "web-browser")

# What every script begins with, by the GIMP's series.
_PRELUDE = r"""
(define (write-file path text)
  (call-with-output-file path (lambda (port) (display text port))))
(define (text-of part) (if (string? part) part (atom->string part)))
; Calls thunk and writes "ok", or the error that it failed with, to a file. What GIMP prints tells
; where that began and how it ended.
(define (attempt path thunk)
  (gimp-message "attempt begins")
  (let* ((outer-hook *error-hook*)
         (result
           (call-with-current-continuation
             (lambda (return)
               (set! *error-hook* (lambda parts
                 (return (apply string-append (map text-of parts)))))
               (thunk)
               "ok"))))
    (set! *error-hook* outer-hook)
    (gimp-message (if (string=? result "ok") "attempt succeeds" "attempt fails"))
    (write-file path result)))
; Waits for a file; a script whose GIMP has gone ends with the question for the version.
(define (wait-for path)
  (usleep 20000)
  (gimp-version)
  (if (not (file-exists? path)) (wait-for path)))
"""
_PRELUDE_2 = _PRELUDE + r"""
(define (load-image path) (car (gimp-file-load RUN-NONINTERACTIVE path path)))
(define (layer img n) (vector-ref (cadr (gimp-image-get-layers img)) n))
(define (channel img n) (vector-ref (cadr (gimp-image-get-channels img)) n))
(define (save-image img path)
  (gimp-file-save RUN-NONINTERACTIVE img (layer img 0) path path))
(define (make-group img) (car (gimp-layer-group-new img)))
"""
_PRELUDE_3 = _PRELUDE + r"""
(define (load-image path) (car (gimp-file-load RUN-NONINTERACTIVE path)))
(define (layer img n) (vector-ref (car (gimp-image-get-layers img)) n))
(define (channel img n) (vector-ref (car (gimp-image-get-channels img)) n))
(define (save-image img path) (gimp-file-save RUN-NONINTERACTIVE img path))
(define (make-group img) (car (gimp-group-layer-new img "group")))
"""


# For python_fu(): an effect that is not yet on the layer, and other values for one that may be.
EFFECTS_IN_PYTHON = r"""
def effect_on(layer, operation, values):
    effect = Gimp.DrawableFilter.new(layer, operation, "")
    change(effect, values)
    return effect

def change(effect, values):
    for name, value in values.items():
        effect.get_config().set_property(name, value)
    effect.update()
"""


class Gimp:
    """One GIMP, of this machine or of a Debian root."""

    def __init__(self, version, root=None):
        self.version = version
        self.root = root
        self.is3 = version.startswith("3")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"cuda-filters-gimp-{version}-", dir="/tmp"))
        self._runs = 0
        self._install()

    def __str__(self):
        return "gimp-" + self.version

    def binary(self, console):
        name = "gimp-console" if console else "gimp"
        return name if self.root else f"{name}-{self.version}"

    def _install(self):
        """Copies plug-in, translations, manual and GEGL module, and links what GIMP itself needs."""
        own = self.folder / "own" / PLUGIN
        own.mkdir(parents=True)
        shutil.copy2(self.plugin(), own / PLUGIN)
        shutil.copy2(self.plugin().parent / "dialogs.so", own)
        shutil.copytree(self.build() / "data/manual/help", own / "help")
        for catalog in sorted((SOURCE / "po").glob("*.po")):
            for folder in own, self.folder / ".local/share":  # the plug-in's and the module's
                messages = folder / "locale" / catalog.stem / "LC_MESSAGES"
                messages.mkdir(parents=True)
                subprocess.run(["msgfmt", "-o", messages / "gimp-cuda-filters.mo", catalog], check=True)
        modules = self.folder / ".local/share/gegl-0.4/plug-ins"
        modules.mkdir(parents=True)
        module = self.build() / f"plugin/gegl/{PLUGIN}.so"
        if module.exists():  # the benchmark does without
            shutil.copy2(module, modules)
        kernels = self.build() / f"gpu/cuda/{PLUGIN}.kernels"
        if kernels.exists():  # too large to have a copy for each
            for folder in own, modules:
                (folder / kernels.name).symlink_to(kernels)
        system = self.folder / "sys"
        system.mkdir()
        there = pathlib.Path(self.root or "/")
        library = f"gimp/{'3.0' if self.is3 else '2.0'}/plug-ins"
        plugins = next(path for folder in ("usr/lib", "usr/lib/*")
                       for path in there.glob(f"{folder}/{library}"))
        inside = "/" / plugins.relative_to(there)
        for name in _SYSTEM_PLUGINS:
            if (plugins / name).exists():
                (system / name).symlink_to(inside / name)
        if self.is3:  # else the welcome window covers everything
            version = re.search(r"3\.\d+\.\d+", self.run([self.binary(True), "--version"])).group()
            profile = self.folder / "profile"
            profile.mkdir()
            settings = f'(config-version "{version}")\n(show-welcome-dialog no)\n'
            (profile / "gimprc").write_text(settings)
            gtk = self.folder / ".config/gtk-3.0"
            gtk.mkdir(parents=True)
            (gtk / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")

    def build(self):
        """The folder in which all is built for this series."""
        return pathlib.Path(os.environ["CUDA_FILTERS_GIMP3_BUILD"]) if self.root else BUILD

    def plugin(self):
        """The plug-in that was built for this series."""
        build = self.build()
        found = sorted(build.glob(f"plugin/**/{PLUGIN}"))
        found = [path for path in found if path.is_file()]
        if len(found) > 1:  # one for each series
            found = [path for path in found if ("gimp3" in str(path.parent)) == self.is3]
        assert found, f"no plug-in for GIMP {self.version} in {build}"
        return found[0]

    def environment(self, **more):
        """The variables of a GIMP process: nothing of the user's but what steers the engine."""
        variables = {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "GIMP_TESTING_PLUGINDIRS": f"{self.folder}/own:{self.folder}/sys",
            "GIMP2_DIRECTORY": f"{self.folder}/profile",
            "GIMP3_DIRECTORY": f"{self.folder}/profile",
            "NO_AT_BRIDGE": "1",
            "GSETTINGS_BACKEND": "memory",  # there is no bus to save what a file chooser looked like
        }
        for name, value in os.environ.items():
            if name in ("REQUIRE_CUDA", "CUDA_FILTERS_WIRE", "CUDA_FILTERS_CACHE") or (
                    name.startswith("CUDA_FILTERS_DEVICE")):
                variables[name] = value
        return variables | more

    def command(self, words, **variables):
        """What to execute so that `words` run where this GIMP lives."""
        prefix = [IN_ROOT, self.root] if self.root else []
        settings = [f"{name}={value}" for name, value in self.environment(**variables).items()]
        return [str(word) for word in [*prefix, "env", "-i", *settings, *words]]

    def script_words(self, body, console=True):
        """The command line that runs a Script-Fu program and quits."""
        self._runs += 1
        path = self.folder / f"script-{self._runs}.scm"
        path.write_text((_PRELUDE_3 if self.is3 else _PRELUDE_2) + body)
        options = ["-i"] if console else ["-n", "-c"]  # messages are printed
        options += ["-s", "-f", "--stack-trace-mode=always"] + ([] if self.is3 else ["-d"])
        if self.is3:
            options += ["--quit", "--batch-interpreter=plug-in-script-fu-eval"]
        words = [self.binary(console), *options, "-b", f'(load "{path}")']
        quit_2 = ["-b", "(gimp-quit 1)"]  # 0 would ask about changed images
        return words + ([] if self.is3 else quit_2)

    def script_fu(self, body, timeout=300, **variables):
        """Runs a Script-Fu program in GIMP without a window and returns what GIMP printed.

        Once in thousands of starts GIMP 3.2 itself dies of a segmentation fault. That is shown as a
        warning, with where it died, and tried once more; what we cause it to do happens again.
        """
        words = self.script_words(body)
        output = self.run(words, timeout, **variables)
        if re.search(r"^gimp-console\S*: fatal error", output, re.MULTILINE):
            warnings.warn(f"{self} died and was started again:\n{output}")
            complaints.take()
            output = self.run(words, timeout, **variables)
        return output

    def python_words(self, program):
        """The command line that runs a Python program in GIMP 3 without a window and quits."""
        self._runs += 1
        path = self.folder / f"program-{self._runs}.py"
        path.write_text(program)
        return [self.binary(True), "-i", "-s", "-f", "--quit",
                "--batch-interpreter=python-fu-eval", "-b", f"exec(open('{path}').read())"]

    def python_fu(self, program, timeout=300, **variables):
        """Runs a Python program in GIMP 3 without a window and returns what GIMP printed."""
        return self.run(self.python_words(program), timeout, **variables)

    def run(self, words, timeout=60, **variables):
        """Runs a command where this GIMP lives and returns what it printed."""
        done = subprocess.run(self.command(words, **variables), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout, check=False)
        output = done.stdout.decode(errors="replace")
        complaints.look_at(output)
        return output

    def language(self, language):
        """The variables of a GIMP that speaks one of LANGUAGES."""
        locale, folder = LOCALES.get(language, f"{language}_{language.upper()}"), self.path("locales")
        if not (folder / f"{locale}.UTF-8").exists():
            folder.mkdir(exist_ok=True)
            self.run(["localedef", "-i", locale, "-f", "UTF-8", f"{folder}/{locale}.UTF-8"])
        return {"LOCPATH": folder, "LC_ALL": f"{locale}.UTF-8", "LANGUAGE": language}

    def translator(self, language):
        """The function that translates this project's texts, by the catalog that the plug-in has."""
        catalog = self.folder / "own" / PLUGIN / "locale" / language / "LC_MESSAGES/gimp-cuda-filters.mo"
        with open(catalog, "rb") as file:
            return gettext.GNUTranslations(file).gettext

    def path(self, name):
        """A file that this process and GIMP both see under the same name."""
        return self.folder / name

    def values(self, row, values, aux=None):
        """A filter's arguments as Script-Fu writes them; `aux`: the second picture, such as
        '(layer img 1)'."""
        words = []
        for param in row.params:
            if param.name not in values and self.is3:
                continue
            value = values.get(param.name, param.initial)
            if self.is3:
                words.append("#:" + param.name)
            words.append(self._word(param, value))
        if row.takes_aux and (aux is not None or not self.is3):
            words.append(f"#:aux {aux}" if self.is3 else aux or "-1")
        return " ".join(words)

    def _word(self, param, value):
        if param.kind == "choice" and not self.is3 and value in param.choices:
            return str(param.choices.index(value))
        return self.word(value)

    def word(self, value):
        """A value as Script-Fu writes it; a choice of GIMP 3 is its name."""
        if isinstance(value, bool):
            return str(int(value))
        return '"' + value + '"' if isinstance(value, str) else repr(value)

    def call(self, row, values, drawables="(layer img 0)", mode="RUN-NONINTERACTIVE", aux=None):
        """The Script-Fu call of a filter on the image `img`."""
        arguments = self.values(row, values, aux)
        if self.is3:
            return (f"({row.procedure} #:run-mode {mode} #:image img "
                    f"#:drawables (vector {drawables}) {arguments})")
        return f"({row.procedure} {mode} img {drawables} {arguments})"


@lru_cache
def find():
    """This machine's GIMP, then those of CUDA_FILTERS_ROOTS ('3.0=/folder,3.2=/folder')."""
    found = []
    for console in ("gimp-console-2.10", "gimp-console-3.0", "gimp-console-3.2"):
        if shutil.which(console):
            found.append(Gimp(console.rpartition("-")[2]))
    for word in filter(None, os.environ.get("CUDA_FILTERS_ROOTS", "").split(",")):
        version, _, root = word.partition("=")
        found.append(Gimp(version, root))
    assert found, "there is no GIMP to test with"
    return found


def with_languages(*more):
    """Pairs of a GIMP and a language: every GIMP in German and in `more`, the last of GIMP 2 and of
    GIMP 3 in all others, too."""
    last = {gimp.is3: gimp for gimp in find()}
    return [(gimp, language) for gimp in find() for language in (*more, *LANGUAGES)
            if gimp is last[gimp.is3] or language in ("de", *more)]


class Complaints:
    """Lines of what GIMPs print in which they, or our plug-in, report an error.

    An error that GIMP tells of in an `attempt` which fails is what that attempt is about. conftest.py
    fails a test that leaves any other, unless the test says by the mark `leaves` which it may.
    """

    _ERROR = re.compile(r"GIMP-Error|GEGL-Warning|CRITICAL|WARNING|ERROR \*\*|[Cc]rashed|fatal error|"
                        r"terminated: |duplicate mnemonic|catalog directory")
    # What an attempt that fails is told by: GIMP's error, what our operation says, and what Script-Fu
    # says of wrong arguments.
    _TOLD = re.compile(rf"GIMP-Error: (Calling|Procedure|Execution) |{PLUGIN}-WARNING \*\*: |"
                       r"^\(script-fu:\d+\): GLib-GObject-CRITICAL .* is invalid or out of range for ")
    # What GIMP, and Script-Fu, say of themselves.
    _HARMLESS = re.compile("|".join([
        r"gimp_flush\(\): error: ",  # a broken pipe in GIMP 3.0, when any plug-in ends
        r"^\(gimp(-console)?(-3\.\d)?:\d+\): GLib-GObject-CRITICAL .*: g_object_unref: ",  # 3.0, at its end
        r"^\(script-fu:\d+\): scriptfu-WARNING .*: Missing arg type: GimpExportOptions$",
        r"^\(gimp:\d+\): Gdk-CRITICAL .*'GDK_IS_DEVICE \(device\)'",  # of a screen without devices
        r"^gimp: Gimp-Widgets-CRITICAL: gimp_device_info_\w+: ",
        r"^\(gimp:\d+\): Gimp-Core-WARNING .*: gimp_finalize: list of contexts not empty ",  # with Python
        r"^WARNING: Glycin running without sandbox\.",
        r"^GUI new func match: ",  # of every dialog of an operation
        r"GEGL-WARNING .*:gegl_tile_cache_destroy: ",  # of what was copied, at GIMP 3's end
    ]))

    def __init__(self):
        self._found = []

    def look_at(self, output):
        """Adds those in what a process has printed."""
        attempts = [[]]  # the innermost is the last one; the first holds what is in none
        for line in output.splitlines():
            if "attempt begins" in line:
                attempts.append([])
            elif "attempt succeeds" in line or "attempt fails" in line:
                inner = attempts.pop()
                attempts[-1] += [one for one in inner
                                 if "succeeds" in line or not self._TOLD.search(one)]
            elif self._ERROR.search(line) and not self._HARMLESS.search(line):
                attempts[-1].append(line)
        self._found += sum(attempts, [])

    def words(self, output):
        """The lines of what a GIMP has printed that are not known to be harmless."""
        return [line for line in output.splitlines() if line and not self._HARMLESS.search(line)]

    def take(self):
        """All since the last time."""
        found, self._found = self._found, []
        return found


complaints = Complaints()


def computing_plugin(parent, seconds=1.0):
    """The process of the plug-in, a child of `parent`, once it has computed for so many seconds."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (process / "stat").read_text().rpartition(")")
        except OSError:  # it has ended meanwhile
            continue
        fields = rest.split()  # from the state on
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if name.endswith(PLUGIN) and int(fields[1]) == parent and used > seconds:
            return int(process.name)
    return None


def poll(question, seconds=300, step=0.1):
    """Asks until the answer is true and returns it; fails after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(step)
    raise AssertionError(f"nothing came within {seconds} s: {question.__doc__}")
