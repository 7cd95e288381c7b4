# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Procedures that let the operation work inside of GIMP 3: the bits of those that move the pixels."""
import os
import re
import subprocess
from functools import lru_cache

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import other_values, picture
from scenarios import Scenario, outcome
from screen import Session, undo, undo_story, wait_until_ready

GIMPS = [gimp for gimp in gimps.find() if gimp.is3]
ROWS = engine.in_place()
LAYER, MASK, CHANNEL = ("(layer img 0)", "(car (gimp-layer-get-mask (layer img 0)))",
                        "(channel img 0)")
BYTES = ("u1", xcf.ENCODED, 4)

# Filters that look at a pixel alone: of these a selection changes nothing but where they work.
ALONE = {"add", "subtract", "multiply", "gamma", "invert", "lower-clamp", "monochrome", "threshold",
         "color-lut", "matte-difference", "matte-invert"}
# Filters that look at all pixels.
ANALYSES = {"autocontrast", "canny", "clahe", "dehaze", "gray-world", "local-contrast",
            "stretch-contrast", "wavelet-denoise", "white-balance"}


def _select(x, y, width, height, feather=0):
    words = f"(gimp-image-select-rectangle img CHANNEL-OP-REPLACE {x} {y} {width} {height})"
    return lambda gimp: words + (f"(gimp-selection-feather img {feather})" if feather else "")


def _nothing(gimp):
    return ""


ALL_SELECTED = lambda gimp: "(gimp-selection-all img)"
HARD, SOFT = _select(20, 30, 170, 60), _select(35, 30, 180, 180, 12)

# What happens to every filter: a name, the kind of image, what is prepared, and what is filtered.
STORIES = [
    ("plain", BYTES, _nothing, LAYER), ("plain", ("u2", xcf.LINEAR, 1), _nothing, LAYER),
    ("plain", ("f4", xcf.LINEAR, 3), _nothing, LAYER),
    ("all", BYTES, ALL_SELECTED, LAYER), ("hard", ("u2", xcf.ENCODED, 4), HARD, LAYER),
    ("soft", BYTES, SOFT, LAYER), ("soft", ("f4", xcf.LINEAR, 3), SOFT, LAYER),
    ("mask", BYTES, _nothing, MASK), ("mask-soft", ("u2", xcf.LINEAR, 3), SOFT, MASK),
    ("channel", ("f4", xcf.LINEAR, 3), _nothing, CHANNEL),
]


def _image(kind, offset=(0, 0), size=None):
    number, trc, channels = kind
    plane = picture(number, 1, 300, 280, seed=2)
    layer = xcf.Layer(picture(number, channels, 300, 280), mask=plane, offset=offset)
    return xcf.Image([layer], trc, {"channel": plane}, size=size)


def _filtered(row, target=LAYER):
    return lambda gimp: gimp.call(row, other_values(row), target)


CASES = {}
for _row in ROWS:
    for _name, _kind, _prepare, _target in STORIES:
        if not (_row.adds_alpha and _target != LAYER):
            _id = "-".join(map(str, (_row.name, *_kind, _name)))
            CASES[_id] = (_row, Scenario("inside-" + _id, _image(_kind), _filtered(_row, _target), _prepare))

_TWO = " ".join((LAYER, "(layer img 1)"))
_GROUPED = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 0)
  (gimp-image-reorder-item img (layer img 1) group 0))"""
_EFFECT = '(gimp-drawable-append-new-filter (layer img 0) "gegl:pixelize" "" LAYER-MODE-REPLACE 1.0)'
_FLOATING = "(gimp-edit-copy (vector (layer img 0))) (gimp-edit-paste (layer img 0) FALSE)"
_WHOLE = "(gimp-drawable-merge-filters (layer img 0))"

# What happens to a few: besides, what is done afterwards, and whether GIMP can do it by itself.
FEW = [engine.find(name) for name in ("invert", "gaussian-blur", "autocontrast")]
SPECIAL = {
    "offset": (_image(BYTES, (-30, 25), (200, 190)), _nothing, LAYER, "", True),
    "partly-off": (_image(BYTES, (-30, 25), (200, 190)), HARD, LAYER, "", None),
    "alpha-locked": (_image(BYTES), lambda gimp: f"(gimp-layer-set-lock-alpha {LAYER} TRUE)", LAYER,
                     "", True),
    "no-red": (_image(BYTES), lambda gimp: "(gimp-image-set-component-active img CHANNEL-RED FALSE)",
               LAYER, "", True),
    "hidden": (_image(BYTES), lambda gimp: f"(gimp-item-set-visible {LAYER} FALSE)", LAYER, "", True),
    "two-layers": (xcf.Image([xcf.Layer(picture("u1", 4), "one"), xcf.Layer(picture("u1", 3), "two")]),
                   _nothing, _TWO, "", False),
    "effect": (_image(BYTES), lambda gimp: _EFFECT, LAYER, _WHOLE, False),
    "floating": (_image(BYTES), lambda gimp: HARD(gimp) + _FLOATING, LAYER,
                 "(gimp-floating-sel-anchor (car (gimp-image-get-floating-sel img)))", False),
    "selection": (_image(BYTES), SOFT, "(car (gimp-image-get-selection img))",
                  "(gimp-selection-save img)", False),
}
for _row in FEW:
    for _name, (_picture, _prepare, _target, _after, _) in SPECIAL.items():
        CASES[f"{_row.name}-{_name}"] = (_row, Scenario(
            f"inside-{_row.name}-{_name}", _picture,
            lambda gimp, row=_row, target=_target, after=_after: _filtered(row, target)(gimp) + after,
            _prepare))
SCENARIOS = tuple(scenario for _, scenario in CASES.values())


def _ways(log):
    """For each run that was told of: whether it was inside of GIMP."""
    return [device.endswith(" inside GIMP") for device in
            re.findall(r"^cuda-filters: \S+ on (.*): start", log, re.MULTILINE)]


def _planes(image):
    for layer in image.layers:
        yield layer.pixels
        if layer.mask is not None:
            yield layer.mask
    yield from image.channels.values()


def _assert_same(found, wanted, blended):
    """The same bits; where GIMP blends by a selection, which differs from process to process, nearly."""
    assert found.message == wanted.message == "ok", found.log
    for one, other in zip(_planes(found.image), _planes(wanted.image), strict=True):
        if one.tobytes() == other.tobytes():
            continue
        engine.assert_same(one, other)
        assert blended and (one != other).mean() < 1e-2


def _goes_inside(row, story):
    """Whether GIMP gives the operation all that it has to look at."""
    if story in SPECIAL and SPECIAL[story][-1] is not None:
        return SPECIAL[story][-1]
    if story in ("plain", "mask", "channel") or row.name in ALONE:
        return True
    return story == "all" and row.name not in ANALYSES


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("case", CASES)
def test_same_bits_both_ways(gimp, case):
    """Whichever way a call takes, the same bits; and it is the way that is told of."""
    row, scenario = CASES[case]
    story = re.sub(rf"{row.name}-(\w\d-\d+-\d-)?", "", case)
    found = outcome(gimp, SCENARIOS, scenario)
    wanted = outcome(gimp, SCENARIOS, scenario, wire=True)
    assert _ways(wanted.lines) == [False]
    assert _ways(found.lines) == [_goes_inside(row, story)], found.lines
    _assert_same(found, wanted, re.search("all|hard|soft|partly|selection|floating", story))


@lru_cache
def _library(gimp, name, source):
    """A library that stands in for a part of GIMP, of C++ or of the system."""
    path, library = gimp.path(name + ".cpp"), gimp.path(name + ".so")
    path.write_text(source)
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, path, "-ldl"], check=True)
    return library


def _told(gimp, name, row, pixels, **variables):
    """The outcome of a call, the pixels after it, and what GIMP printed."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    log = gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.outcome" (lambda () {gimp.call(row, other_values(row))}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))""", CUDA_FILTERS_VERBOSE="1", **variables)
    return (gimp.path(f"{name}.outcome").read_text().strip(),
            xcf.read(f"{path}.xcf").layers[0].pixels, log)


# What the libraries below begin with.
_HEAD = """
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
template <class Function> Function* real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
"""
# The system without what the two processes tell each other by.
_DEAF = "extern \"C\" int bind(int, const sockaddr*, unsigned) noexcept { return -1; }"
# Changes what is told: `topic` is the place in plugin_socket.hpp.
_TELLS = """
extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  const int topic = size > 0 ? *static_cast<const char*>(data) : -1;
  %s
  return real("send", send)(socket, data, size, flags);
}
"""
_OTHER_BUILD = _TELLS % 'if (topic == 0) data = "\\0002.71", size = 5;'
_UNHEARD = _TELLS % "if (topic == 3 || topic == 4) { errno = ENOBUFS; return -1; }"


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("name", ["no-module", "other-listens", "other-build"])
def test_moves_the_pixels_where_there_is_no_such_operation(gimp, name):
    """Without the module, while another call listens, or with a module of another build: no word of it."""
    row, pixels = engine.find("invert"), picture("u1", 4)
    source = {"no-module": None, "other-listens": _DEAF, "other-build": _OTHER_BUILD}[name]
    variables = {"XDG_DATA_HOME": gimp.path("nothing")} if source is None else {
        "LD_PRELOAD": _library(gimp, name, _HEAD + source)}
    message, after, log = _told(gimp, name, row, pixels, **variables)
    assert message == "ok"
    assert _ways(log) == [False]
    assert "cuda:" not in log, log
    engine.assert_same(after, engine.apply(row.name, other_values(row), pixels, linear=False))


# GIMP without the memory for a picture; the plug-in has it.
_NO_MEMORY = """
static bool refused(std::size_t size) {
  static const bool is_gimp = strncmp(program_invocation_short_name, "gimp", 4) == 0;
  return is_gimp && size > 256 * 1024;
}
"""
_NEW = """
void* operator new(std::size_t size) {
  void* const memory = refused(size) ? nullptr : std::malloc(size);
  return memory != nullptr ? memory : throw std::bad_alloc{};
}
"""
# A GIMP that answers the last call with an error.
_REFUSED = """
extern "C" void* gimp_drawable_filter_new(void*, const char*, const char*);
extern "C" void gimp_drawable_filter_delete(void*);
extern "C" void gimp_drawable_merge_filter(void* drawable, void* filter) {
  gimp_drawable_filter_delete(filter);
  gimp_drawable_filter_new(drawable, "cuda:refused", "");
}
"""
# A GIMP that has the operation compute its result, shows it, and then does not take it.
_REFUSED_AFTERWARDS = """
extern "C" void* gimp_drawable_filter_new(void*, const char*, const char*);
extern "C" void gimp_drawable_filter_delete(void*);
extern "C" void gimp_drawable_append_filter(void*, void*);
extern "C" void* gimp_item_get_image(void*);
extern "C" void* gimp_image_get_thumbnail_data(void*, int*, int*, int*);
extern "C" void gimp_drawable_merge_filter(void* drawable, void* filter) {
  int width = 100, height = 100, bpp;
  gimp_drawable_append_filter(drawable, filter);
  gimp_image_get_thumbnail_data(gimp_item_get_image(drawable), &width, &height, &bpp);
  gimp_drawable_filter_delete(filter);
  gimp_drawable_filter_new(drawable, "cuda:refused", "");
}
"""
# A process of another user or, where this one may not become one, of this one. It has the address
# that the plug-in bound, and is at work when stranger() returns.
_STRANGER = """
static sockaddr_storage name;
static unsigned name_size;
static int type;
static void remember(int socket, const sockaddr* address, unsigned size) {
  unsigned length = sizeof type;
  getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length);
  memcpy(&name, address, name_size = size);
}
static const sockaddr* address() { return reinterpret_cast<const sockaddr*>(&name); }
template <class Body> void stranger(int kept, const Body& body) {
  int ready[2];
  if (pipe(ready) != 0) abort();
  if (fork() == 0) {
    for (int file = 0; file < 1000; ++file)  // what GIMP waits for the end of, too
      if (file != kept && file != ready[1]) close(file);
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) abort();
    body([&] { if (write(ready[1], "!", 1) != 1) abort(); });
    _exit(0);
  }
  char word;
  if (read(ready[0], &word, 1) != 1) abort();
  close(ready[0]), close(ready[1]);
}
"""
# Fills whatever the plug-in listens at.
_FLOOD = _STRANGER + """
extern "C" int bind(int socket, const sockaddr* address, unsigned size) noexcept {
  remember(socket, address, size);
  return real("bind", bind)(socket, address, size);
}
extern "C" void gimp_drawable_merge_filter(void* drawable, void* filter) {
  stranger(-1, [](auto ready) {
    const char lie[] = "\\1a lie";
    for (bool more = true; more;) {
      const int from = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
      more = connect(from, address(), name_size) == 0 && send(from, lie, sizeof lie, 0) > 0;
    }
    ready();
  });
  real("gimp_drawable_merge_filter", gimp_drawable_merge_filter)(drawable, filter);
}
"""


@pytest.mark.leaves(r"cuda:\S+: (std::bad_alloc|The plug-in that waited)")
@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("name, source, word", [
    pytest.param("no-memory", _NO_MEMORY + _NEW, "bad_alloc", id="no-memory"),
    pytest.param("flooded", _NO_MEMORY + _NEW + _FLOOD, "bad_alloc", id="flooded"),
    pytest.param("unheard", _UNHEARD, "no result was reported", id="unheard"),
    pytest.param("failure-unheard", _NO_MEMORY + _NEW + _UNHEARD, "no result was reported",
                 id="failure-unheard"),
    pytest.param("refused", _REFUSED, "cuda:refused", id="refused"),
])
@pytest.mark.parametrize("row", [engine.find("sobel"), engine.find("matte-invert")],
                         ids=lambda row: row.name)
def test_what_fails_inside_moves_the_pixels(gimp, row, name, source, word):
    """The call does without GIMP's process then, and nobody but who wants to know is told of it."""
    pixels = picture("u1", 3, 700, 600)
    message, after, log = _told(gimp, f"{name}-{row.name}", row, pixels,
                                LD_PRELOAD=_library(gimp, name, _HEAD + source))
    assert message == "ok", log
    assert re.search(f"inside GIMP failed, so the pixels are moved: .*{word}", log), log
    engine.assert_same(after, engine.apply(row.name, other_values(row), pixels, linear=False))


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("row", [engine.find("sobel"), engine.find("matte-invert")],
                         ids=lambda row: row.name)
def test_a_result_that_gimp_refuses_is_given_up(gimp, row):
    """Who called is told; the picture is as it was, without an alpha channel if it had none."""
    pixels = picture("u1", 3, 700, 600)
    library = _library(gimp, "refused-afterwards", _HEAD + _REFUSED_AFTERWARDS)
    message, after, log = _told(gimp, f"refused-afterwards-{row.name}", row, pixels, LD_PRELOAD=library)
    assert re.search("did not take the result for 'layer'.*cuda:refused", message), log
    assert "pixels are moved" not in log
    assert np.array_equal(after, pixels)


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("name, source", [("refused", _REFUSED), ("no-memory", _NO_MEMORY + _NEW)])
def test_what_fails_inside_is_one_undo_step(gimp, screen, name, source):
    """The first Ctrl+Z takes back the call, the second one what came before."""
    path, image = gimp.path(f"{name}-undo"), xcf.Image([xcf.Layer(picture("u1", 3, 700, 600))])
    inverted = xcf.Image([xcf.Layer(255 - image.layers[0].pixels)])
    xcf.write(f"{path}.in.xcf", image)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (gimp-drawable-invert (layer img 0) FALSE)
  (attempt "{path}.outcome" (lambda () {gimp.call(engine.find("sobel"), {})}))
  (gimp-displays-flush)
  {undo_story(path)}
  (gimp-image-clean-all img))"""
    library = _library(gimp, f"{name}-undo", _HEAD + source)
    with Session(gimp, screen, body, LD_PRELOAD=library, CUDA_FILTERS_VERBOSE="1") as session:
        wait_until_ready(gimp, path)
        undo(gimp, screen, path, inverted, image)
        log = session.wait()
    assert gimp.path(f"{name}-undo.outcome").read_text() == "ok"
    assert "inside GIMP failed" in log


# Takes the plug-in's name, and writes down what it hears until GIMP ends.
_LISTENER = _STRANGER + """
extern "C" int bind(int socket, const sockaddr* wanted, unsigned size) noexcept {
  remember(socket, wanted, size);
  const auto bound = real("bind", bind);
  FILE* heard = fopen(getenv("HEARD"), "w");
  const pid_t gimp = getppid();
  stranger(fileno(heard), [&](auto ready) {
    const int there = ::socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
    fprintf(heard, "%s\\n", bound(there, address(), name_size) == 0 ? "listens" : "fails");
    fflush(heard);
    listen(there, 100);
    ready();
    for (int dead = 0; dead == 0 || errno != ESRCH; dead = kill(gimp, 0)) {
      pollfd word{there, POLLIN, 0};
      if (poll(&word, 1, 100) < 1) continue;
      const int from = type == SOCK_DGRAM ? there : accept(there, nullptr, nullptr);
      pollfd more{from, POLLIN, 0};
      char bytes[5000];
      if (poll(&more, 1, 10000) == 1) fprintf(heard, "heard %zd\\n", recv(from, bytes, sizeof bytes, 0));
      fflush(heard);
    }
  });
  return bound(socket, wanted, size);
}
"""


@pytest.mark.leaves("'low' is 0.9")
@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_a_stranger_with_the_name_hears_nothing(gimp):
    """Calls move the pixels then, and effects say what fails to who uses GIMP."""
    row, pixels, path = engine.find("sobel"), picture("u1", 4), gimp.path("stranger")
    heard = gimp.path("stranger.heard")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    log = gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  {gimp.call(row, other_values(row))}
  (gimp-message "now an effect")
  (gimp-drawable-merge-new-filter (layer img 0) "cuda:threshold" "" LAYER-MODE-REPLACE 1.0
    "low" 0.9 "high" 0.1)
  (save-image img "{path}.xcf")
  (gimp-image-delete img))""", CUDA_FILTERS_VERBOSE="1", HEARD=str(heard),
                         LD_PRELOAD=_library(gimp, "stranger", _HEAD + _LISTENER))
    assert _ways(log) == [False]
    engine.assert_same(xcf.read(f"{path}.xcf").layers[0].pixels,
                       engine.apply(row.name, other_values(row), pixels, linear=False))
    assert "cuda:threshold: " in log.partition("now an effect")[2], log
    words = heard.read_text().split("\n")
    assert words[0] == "listens" and not any(re.match("heard [^-0]", word) for word in words), words


# The plug-in is killed while the operation works.
_DEATH = """
extern "C" void gimp_drawable_merge_filter(void* drawable, void* filter) {
  FILE* file = fopen(getenv("VICTIM"), "w");
  fprintf(file, "%d", getpid());
  fclose(file);
  real("gimp_drawable_merge_filter", gimp_drawable_merge_filter)(drawable, filter);
}
static bool refused(std::size_t size) {
  FILE* file = size > 256 * 1024 ? fopen(getenv("VICTIM"), "r") : nullptr;
  int victim = 0;
  if (file == nullptr || fscanf(file, "%d", &victim) != 1 || victim == getpid()) return false;
  unlink(getenv("VICTIM"));
  kill(victim, SIGKILL);
  siginfo_t info;
  waitid(P_PID, victim, &info, WEXITED | WNOWAIT);
  return false;
}
"""


@pytest.mark.leaves("[Cc]rashed|terminated: |undo in inconsistent state|Broken pipe|handle_proc_run: ERROR")
@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_a_call_that_is_killed_while_gimp_works_changes_nothing(gimp):
    """GIMP goes on, and what nobody waits for any more is not merged."""
    row, pixels, victim = engine.find("sobel"), picture("u1", 3, 700, 600), gimp.path("victim")
    message, after, log = _told(gimp, "killed", row, pixels, VICTIM=str(victim),
                                LD_PRELOAD=_library(gimp, "death", _HEAD + _DEATH + _NEW))
    assert not victim.exists() and message != "ok", log
    assert (after == pixels).all()
