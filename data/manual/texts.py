# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the manual says beyond the registry: when to use a filter, an example, who described it first."""


def N_(text):
    """Marks a text for translation, as in C++."""
    return text


# For each filter: `use`, when it is of use; `picture`, what it is shown with, a function of pictures.py, as
# is `selection`, of those that need one; `values` of the example, all others are initial; `source`, who
# described it first.
FILTERS = {
    "add": {
        "use": N_("To lift dark floating-point pictures, or to put a pedestal below a picture before a "
                  "filter that must not see negative values. For a brighter photo, Multiply by a Value "
                  "looks more natural."),
        "values": {"value": 0.1},
    },
    "align-plates": {
        "use": N_("For scans of glass plates that were exposed through a blue, a green and a red filter, "
                  "one below the other. If colored outlines remain, raise the largest shift."),
        "picture": "plates",
        "values": {"range": 12},
    },
    "autocontrast": {
        "use": N_("For flat pictures in which single pixels are black or white already, such as scans with "
                  "dust or photos with reflections, on which Stretch Contrast has no effect."),
        "picture": "dull",
        "values": {"low-fraction": 0.01, "high-fraction": 0.01},
    },
    "bilateral-blur": {
        "use": N_("For noise and skin, where edges shall stay as they are. Raise the range until the noise "
                  "goes, then the size. A guide, such as a photo that was taken with a flash, says where "
                  "the edges are."),
        "picture": "grainy",
        "values": {"std-dev": 3.0, "range-std-dev": 0.4},
        "source": "V. Aurich and J. Weule, Non-linear Gaussian filters performing edge preserving "
                  "diffusion, 1995; C. Tomasi and R. Manduchi, Bilateral filtering for gray and color "
                  "images, 1998",
    },
    "box-blur": {
        "use": N_("As a very fast blur of any size, for masks and for steps of a chain. Its results look "
                  "angular; Gaussian Blur looks softer."),
        "values": {"radius-x": 6.0, "radius-y": 6.0},
        "source": "M. J. McDonnell, Box-filtering techniques, 1981",
    },
    "canny": {
        "use": N_("For line drawings of photos, and for masks along outlines. Raise the high threshold "
                  "until only the lines that matter begin, then lower the low one until they are complete."),
        "values": {"sigma": 1.0, "low-threshold": 40.0, "high-threshold": 120.0, "invert": True},
        "source": "J. Canny, A computational approach to edge detection, 1986",
    },
    "chain": {
        "use": N_("To keep a recipe of several filters as one text, and to run it on many pictures: it is "
                  "faster than separate calls and does not round between the steps."),
        "picture": "specked",
        "values": {"steps": "median-blur radius=2 | unsharp-mask std-dev=2 scale=1"},
    },
    "clahe": {
        "use": N_("For X-rays and microscopy, for pictures in mist, and for photos with deep shadows beside a "
                  "bright sky. Fewer tiles look more natural, more of them bring out finer details; if noise "
                  "shows in even parts, lower the clip limit."),
        "picture": "misty",
        "values": {"tiles-x": 4, "tiles-y": 4, "clip-limit": 3.0},
        "source": "K. Zuiderveld, Contrast limited adaptive histogram equalization, in Graphics Gems IV, 1994",
    },
    "color-lut": {
        "use": N_("For looks that another program made: of a film, a camera, or your own, made from a Hald "
                  "image. Tables are for the values that a picture shows, not for linear light. Take a lower "
                  "amount where a look is too strong."),
        "values": {"file": "look.cube"},
    },
    "convolution-matrix": {
        "use": N_("For embossing, edges of one direction, and kernels from papers and books."),
        "values": {"matrix": "-2,-1,0;-1,0,1;0,1,2", "divisor": 3.0, "offset": 0.3},
    },
    "dehaze": {
        "use": N_("For landscapes in haze or mist, pictures from an airplane, and through windows. Raise the "
                  "radius until white houses and boats keep their colors, and the least transmission if "
                  "the sky gets too dark or noisy."),
        "picture": "misty",
        "values": {"amount": 0.9, "refine": 20},
        "source": "K. He, J. Sun and X. Tang, Single image haze removal using dark channel prior, 2009",
    },
    "difference-of-gaussians": {
        "use": N_("For edges, stars or cells of one size: the first deviation is the smallest detail that "
                  "is shown, the second one the largest."),
        "values": {"std-dev-1": 1.0, "std-dev-2": 4.0, "scale": 2.0, "offset": 0.2},
        "source": "D. Marr and E. Hildreth, Theory of edge detection, 1980",
    },
    "diffusion": {
        "use": N_("For noise in photos and scans whose outlines must stay sharp. The edge threshold says "
                  "which differences are noise; with many iterations photos turn into paintings."),
        "picture": "grainy",
        "values": {"iterations": 40, "edge-threshold": 24.0},
        "source": "P. Perona and J. Malik, Scale-space and edge detection using anisotropic diffusion, 1990",
    },
    "gamma": {
        "use": N_("For pictures whose middle tones are too dark or too bright while black and white are "
                  "right, and to convert between encodings."),
        "values": {"gamma": 1.6},
    },
    "gaussian-blur": {
        "use": N_("For soft backgrounds, shadows, feathered masks, and before a picture is made smaller. "
                  "The standard deviations may differ, for motion along one axis."),
        "values": {"std-dev-x": 5.0, "std-dev-y": 5.0},
    },
    "gray-world": {
        "use": N_("For pictures with many different colors, taken in light of one color: under water, at "
                  "dusk, under lamps. Pictures that show one color mainly lose it."),
        "picture": "cast",
        "source": "G. Buchsbaum, A spatial processor model for object colour perception, 1980",
    },
    "guided-filter": {
        "use": N_("For smooth skin and skies with sharp outlines, for masks that shall follow the edges of "
                  "a photo, and as a base to enhance details from. It makes no halos around edges."),
        "picture": "grainy",
        "values": {"radius": 6, "epsilon": 0.3},
        "source": "K. He, J. Sun and X. Tang, Guided image filtering, 2010",
    },
    "heal-selection": {
        "use": N_("For wires, dust, people and all that shall not be in a picture. Select it with a few pixels "
                  "around it, shadows too, and let the selection be feathered a little. If what comes in is the "
                  "wrong thing, try another seed, a smaller patch for fine textures and a larger one for large "
                  "structures, or a layer that is white where it may be taken from."),
        "picture": "disturbed",
        "selection": "disturbances",
        "source": "C. Barnes, E. Shechtman, A. Finkelstein and D. B. Goldman, PatchMatch: a randomized "
                  "correspondence algorithm for structural image editing, 2009; Y. Wexler, E. Shechtman and "
                  "M. Irani, Space-time completion of video, 2007",
    },
    "high-pass": {
        "use": N_("For sharpening by a layer, whose opacity and mask say how much and where, and to tell "
                  "texture from tones when retouching."),
        "values": {"std-dev": 3.0, "contrast": 2.0},
    },
    "invert": {
        "use": N_("For scanned negatives and masks."),
    },
    "lens-blur": {
        "use": N_("For a background that is out of focus, and for lights at night, which show the shape of the "
                  "lens. A depth map, bright where things are far, keeps what is near sharp."),
        "values": {"radius": 8.0, "highlights": 4.0, "highlight-threshold": 0.7},
        "source": "M. Potmesil and I. Chakravarty, A lens and aperture camera model for synthetic image "
                  "generation, 1981",
    },
    "local-contrast": {
        "use": N_("For photos that look flat, and for those that were taken against the light: shadows and "
                  "highlights below 1 bring the dark and the bright nearer to each other, and the amount shows "
                  "what is in them. With a small edge only fine textures change, and with an amount below 0 they "
                  "become smooth, such as skin. Outlines get no halos."),
        "values": {"amount": 1.0, "edge": 0.15, "shadows": 0.7, "highlights": 0.7},
        "source": "S. Paris, S. W. Hasinoff, J. Kautz, Local Laplacian filters: edge-aware image processing with a "
                  "Laplacian pyramid, 2011; M. Aubry, S. Paris, S. W. Hasinoff, J. Kautz, F. Durand, Fast local "
                  "Laplacian filters: theory and applications, 2014",
    },
    "lower-clamp": {
        "use": N_("To remove negative values from floating-point pictures before filters that amplify them, "
                  "and for faded blacks."),
        "values": {"red": 0.03, "green": 0.015, "blue": 0.03},
    },
    "matte-difference": {
        "use": N_("To put a subject that was taken in front of a colored screen on another background. "
                  "“Remove spill” takes the light of the screen from its edges."),
        "picture": "screen",
    },
    "matte-invert": {
        "use": N_("To keep what was cut away, and cut away what was kept."),
        "picture": "cutout",
    },
    "mean-curvature-blur": {
        "use": N_("For ragged outlines of scans and enlarged pictures, for noise, and to turn a photo into a "
                  "painting of smooth shapes. Edges stay sharp, but corners get round."),
        "picture": "grainy",
        "values": {"iterations": 12},
        "source": "L. Alvarez, P.-L. Lions and J.-M. Morel, Image selective smoothing and edge detection by "
                  "nonlinear diffusion II, 1992",
    },
    "median-blur": {
        "use": N_("For dust, scratches and dead pixels, for the grain of scans, and with large radii for "
                  "posters and backgrounds. A higher percentile widens what is bright, a lower one what is "
                  "dark."),
        "picture": "specked",
        "values": {"radius": 2},
        "source": "J. W. Tukey, Exploratory data analysis, 1977; "
                  "T. S. Huang, G. J. Yang and G. Y. Tang, A fast two-dimensional median filtering algorithm, 1979",
    },
    "monochrome": {
        "use": N_("For black and white photos: more red brightens skin and darkens skies, more green suits "
                  "landscapes."),
        "values": {"red": 0.6, "green": 0.4, "blue": 0.0},
    },
    "morphology": {
        "use": N_("For masks that shall be a little larger or smaller, for scanned text and drawings, whose lines "
                  "get thicker or thinner and close their gaps, and for specks: Open takes away light ones, Close "
                  "dark ones. Top-hat and Black-hat show these alone, whatever the background is."),
        "values": {"operation": "gradient", "radius": 1},
        "source": "J. Serra, Image analysis and mathematical morphology, 1982",
    },
    "motion-blur": {
        "use": N_("For speed: a background that rushes by, light that bursts from a center, wheels that turn. "
                  "Select the background alone to keep the subject sharp."),
        "values": {"kind": "zoom", "factor": 0.15},
        "source": "M. Potmesil and I. Chakravarty, Modeling motion blur in computer-generated images, 1983",
    },
    "multiply": {
        "use": N_("To correct the exposure: 2 is one stop more, 0.5 one stop less."),
        "values": {"value": 2.0},
    },
    "noise-reduction": {
        "use": N_("For fine grain, in photos and scans alike. Lines and corners stay, and so do spots that stand "
                  "out; too much strength makes surfaces look like plastic."),
        "picture": "grainy",
        "values": {"iterations": 6},
        "source": "A. Alsam, H. J. Rivertz and Ø. Kolås, the operation noise-reduction of GEGL, 2011",
    },
    "non-local-means": {
        "use": N_("For noisy photos with fine structures, such as cloth, hair and print: what repeats stays "
                  "sharp."),
        "picture": "grainy",
        "values": {"strength": 0.1},
        "source": "A. Buades, B. Coll and J.-M. Morel, A non-local algorithm for image denoising, 2005",
    },
    "oilify": {
        "use": N_("For portraits and landscapes that should look painted. A larger radius makes broader strokes, "
                  "fewer intensities make larger flat areas, and a larger exponent makes their edges sharper."),
        "values": {"mask-radius": 3},
        "source": "G. J. Holzmann, Beyond photography: the digital darkroom, 1988",
    },
    "pixel-math": {
        "use": N_("For what no other filter does: to mix channels, make masks of colors, blend two layers by a "
                  "formula, or try what a paper says. Formulas of a color and numbers alone are as fast as any "
                  "filter of single pixels."),
        "values": {"formula": "far = hypot(u - 0.5, v - 0.5); c = mix(c, 1 - c, step(0.3, far))"},
    },
    "resize": {
        "use": N_("For smaller copies without moiré, and for larger ones. Linear light keeps fine bright "
                  "lines as bright as they were."),
        "values": {"scale": 0.5},
        "source": "R. G. Keys, Cubic convolution interpolation for digital image processing, 1981; "
                  "D. P. Mitchell and A. N. Netravali, Reconstruction filters in computer graphics, 1988; "
                  "C. E. Duchon, Lanczos filtering in one and two dimensions, 1979",
    },
    "richardson-lucy": {
        "use": N_("For photos that are a little out of focus or shaken, and for pictures of stars. Choose what a "
                  "point of light became, and how large. Where rings or noise appear, take fewer iterations, a "
                  "smaller size, or some damping."),
        "picture": "unfocused",
        "values": {"psf": "disc", "size": 2.0, "iterations": 20},
        "source": "W. H. Richardson, Bayesian-based iterative method of image restoration, 1972; L. B. Lucy, An "
                  "iterative technique for the rectification of observed distributions, 1974; R. L. White, Image "
                  "restoration using the damped Richardson-Lucy method, 1994",
    },
    "selective-blur": {
        "use": N_("For noise and skin, where small differences shall vanish and outlines stay. A guide, such "
                  "as the picture before another filter, says which differences count."),
        "picture": "grainy",
        "values": {"blur-radius": 8, "max-delta": 0.3},
        "source": "T. van Os, the plug-in Selective Gaussian Blur of GIMP, 1999",
    },
    "sharpen": {
        "use": N_("For pictures that were made smaller, as the last step. It also strengthens noise."),
        "picture": "soft",
        "values": {"amount": 0.5},
    },
    "snn-mean": {
        "use": N_("For noise, and for surfaces as if painted. Edges do not blur, even of large radii; corners "
                  "and thin lines get rounder."),
        "picture": "grainy",
        "values": {"radius": 5},
        "source": "D. Harwood, M. Subbarao, H. Hakalahti and L. S. Davis, A new class of edge-preserving "
                  "smoothing filters, 1987",
    },
    "sobel": {
        "use": N_("For edges with their strength, as a mask for sharpening or as a base for drawings."),
        "values": {"scale": 1.5},
        "source": "I. Sobel and G. Feldman, A 3×3 isotropic gradient operator for image processing, 1968",
    },
    "stretch-contrast": {
        "use": N_("For flat pictures without any black or white. If single pixels are black or white "
                  "already, use Autocontrast."),
        "picture": "flat",
    },
    "subtract": {
        "use": N_("To remove a constant haze or the pedestal of a camera."),
        "values": {"value": 0.02},
    },
    "surface-blur": {
        "use": N_("For skin, skies and walls whose grain shall go while outlines stay, and for flat "
                  "colors as a drawing has them. Raise the threshold until the grain goes, then the "
                  "radius."),
        "picture": "grainy",
        "values": {"radius": 8, "threshold": 40},
        "source": "V. Aurich and J. Weule, Non-linear Gaussian filters performing edge preserving "
                  "diffusion, 1995",
    },
    "threshold": {
        "use": N_("For scanned text and drawings, and for masks from brightness."),
        "values": {"low": 0.35},
    },
    "unsharp-mask": {
        "use": N_("For almost every photo: a deviation of about 1 for fine details, of 30 and a small amount "
                  "for more depth. The threshold spares skies and skin from noise."),
        "picture": "soft",
        "values": {"std-dev": 1.5, "scale": 1.5},
        "source": "J. A. C. Yule, Unsharp masks and a new method of increasing definition in prints, 1944",
    },
    "wavelet-denoise": {
        "use": N_("For noisy photos: unlike a blur it keeps what is stronger than the noise, and it also finds "
                  "coarse spots of color."),
        "picture": "grainy",
        "values": {"threshold": 3},
        "source": "D. L. Donoho and I. M. Johnstone, Ideal spatial adaptation by wavelet shrinkage, 1994",
    },
    "wavelet-equalizer": {
        "use": N_("For sharpening, for more clarity, or for softer skin, each at the size of detail that "
                  "matters, and for structures that lie under others."),
        "picture": "soft",
        "values": {"gain-1": 3, "gain-2": 3, "gain-3": 2},
        "source": "M. Holschneider et al., A real-time algorithm for signal analysis with the help of the "
                  "wavelet transform, 1989",
    },
    "white-balance": {
        "use": N_("For photos with a color cast in which something is white. With nothing white, use Gray "
                  "World."),
        "picture": "cast",
        "values": {"white-luma": 120.0, "white-chroma": 40.0},
        "source": "V. Chikane and C.-S. Fuh, Automatic white balance for digital still cameras, 2006",
    },
}

# Headings, and what stands around the texts of the registry.
MANUAL = N_("CUDA Filters: Manual")
INDEX = N_("All filters")
INTRODUCTION = N_("Filters that run on NVIDIA GPUs, and on all cores of the processor where there is none, with "
                  "the same results. In GIMP they stand in Filters ▸ CUDA. In GIMP 3 most of them show their "
                  "result on the canvas, and stay editable as effects of a layer; their dialog’s Help button "
                  "opens GIMP’s own page on GEGL operations, this manual is at Filters ▸ CUDA ▸ CUDA Manual.")
BEFORE = N_("Before")
AFTER = N_("After")
MADE_WITH = N_("Made with %s")
INITIAL_VALUES = N_("the values that the dialog begins with")
WHAT_FOR = N_("What it is for")
WHAT_IT_DOES = N_("What it does")
PARAMETERS = N_("Parameters")
NO_PARAMETERS = N_("There is nothing to set.")
PARAMETER = N_("Parameter")
IN_SCRIPTS = N_("In scripts")
RANGE = N_("Range")
AT_FIRST = N_("At first")
MEANING = N_("Meaning")
YES_OR_NO = N_("yes or no")
YES = N_("yes")
NO = N_("no")
TEXT = N_("text")
GAIN = N_("gain")
A_DRAWABLE = N_("a layer, mask or channel of the image")
NONE = N_("None")
RESULTS = N_("Results")
RESULT = N_("Result")
NEW_IMAGE = N_("the new image")
SCRIPTS = N_("From scripts")
SCRIPT_NAMES = N_("For an image and its layer. GIMP 2.10 wants a value for every parameter, and choices as numbers "
                  "that count from 0.")
OPERATION = N_("GEGL operation")
COMMAND_LINE = N_("On the command line")
HOW_FAST = N_("How fast")
HOW_EXACT = N_("How exact")
SOURCE = N_("Who described it first")
MACHINE = N_("Machine")
OURS = N_("This filter")
GIMPS = N_("GIMP’s own")
WITHOUT_GPU = N_("2 cores of a processor")
WITH_GPU = "NVIDIA H200"
TIMES = N_("Seconds for a call on 6000 × 4000 pixels, RGBA, 8 bits, with %s")
MEASURED = N_("How this was measured")
TOLERANCE = N_("At most, from the exact result")
ALL_TOLERANCES = N_("All tolerances")
PROCEDURES = N_("More procedures")
PROCEDURE = N_("Procedure")
STATISTICS_USE = N_("Of the selected pixels, for each channel. It gives arrays with a number a channel; in GIMP 2.10 "
                    "the number of channels comes first, and once more before each array.")
INFO_USE = N_("One text with the devices, the driver, and what would be used and why.")
MANUAL_USE = N_("Shows this manual, or the page of a filter.")
