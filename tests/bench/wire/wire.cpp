// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The plug-in plug-in-cuda-wire reads all tiles of a drawable, writes all of them back as they are,
// and prints what each part took: what every plug-in has to pay. Only the benchmark installs it.
#include <gegl.h>
#include <libgimp/gimp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr const char* procedure_name = "plug-in-cuda-wire";
constexpr int tile_height = 128;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Moves the tiles of `from` here, then what came last to all of `to`. Lets go of both.
void move_tiles(GeglBuffer* from, GeglBuffer* to) {
  const Babl* format = gegl_buffer_get_format(from);
  const GeglRectangle all = *gegl_buffer_get_extent(from);
  const int row_bytes = all.width * babl_format_get_bytes_per_pixel(format);
  std::vector<char> band(static_cast<std::size_t>(tile_height) * row_bytes);
  const auto for_bands = [&](auto work) {
    for (int y = 0; y < all.height; y += tile_height) {
      const GeglRectangle part{0, y, all.width, std::min(tile_height, all.height - y)};
      work(part);
    }
  };
  const auto reading_began = std::chrono::steady_clock::now();
  for_bands([&](const GeglRectangle& part) {
    gegl_buffer_get(from, &part, 1.0, format, band.data(), row_bytes, GEGL_ABYSS_NONE);
  });
  const double reading = seconds_since(reading_began);
  const auto writing_began = std::chrono::steady_clock::now();
  for_bands([&](const GeglRectangle& part) {
    gegl_buffer_set(to, &part, 0, format, band.data(), row_bytes);
  });
  g_object_unref(to);
  g_object_unref(from);
  std::fprintf(stderr, "cuda-wire: read %.3f s, write %.3f s, ", reading,
               seconds_since(writing_began));
}

}  // namespace

#if GIMP_CHECK_VERSION(2, 99, 0)

struct Wire {
  GimpPlugIn parent;
};
struct WireClass {
  GimpPlugInClass parent;
};
G_DEFINE_TYPE(Wire, wire, GIMP_TYPE_PLUG_IN)

namespace {

GimpValueArray* run(GimpProcedure* procedure, GimpRunMode, GimpImage*, GimpDrawable** drawables,
                    GimpProcedureConfig*, gpointer) {
  gegl_init(nullptr, nullptr);
  GimpDrawable* drawable = drawables[0];
  move_tiles(gimp_drawable_get_buffer(drawable), gimp_drawable_get_shadow_buffer(drawable));
  const auto merging_began = std::chrono::steady_clock::now();
  gimp_drawable_merge_shadow(drawable, TRUE);
  gimp_drawable_update(drawable, 0, 0, gimp_drawable_get_width(drawable),
                       gimp_drawable_get_height(drawable));
  std::fprintf(stderr, "merge %.3f s\n", seconds_since(merging_began));
  return gimp_procedure_new_return_values(procedure, GIMP_PDB_SUCCESS, nullptr);
}

}  // namespace

static void wire_class_init(WireClass* type) {
  GimpPlugInClass* plug_in = GIMP_PLUG_IN_CLASS(type);
  plug_in->query_procedures = [](GimpPlugIn*) {
    return g_list_append(nullptr, g_strdup(procedure_name));
  };
  plug_in->create_procedure = [](GimpPlugIn* owner, const gchar* name) {
    GimpProcedure* procedure =
        gimp_image_procedure_new(owner, name, GIMP_PDB_PROC_TYPE_PLUGIN, run, nullptr, nullptr);
    gimp_procedure_set_image_types(procedure, "*");
    return procedure;
  };
  plug_in->set_i18n = [](GimpPlugIn*, const gchar*, gchar**, gchar**) -> gboolean { return FALSE; };
}

static void wire_init(Wire*) {}

GIMP_MAIN(wire_get_type())

#else

namespace {

void query() {
  const GimpParamDef arguments[]{{GIMP_PDB_INT32, const_cast<char*>("run-mode"), nullptr},
                                 {GIMP_PDB_IMAGE, const_cast<char*>("image"), nullptr},
                                 {GIMP_PDB_DRAWABLE, const_cast<char*>("drawable"), nullptr}};
  gimp_install_procedure(procedure_name, "", "", "", "", "", nullptr, "*", GIMP_PLUGIN, 3, 0,
                         arguments, nullptr);
}

void run(const gchar*, gint, const GimpParam* given, gint* result_count, GimpParam** results) {
  gegl_init(nullptr, nullptr);
  const gint32 drawable = given[2].data.d_drawable;
  move_tiles(gimp_drawable_get_buffer(drawable), gimp_drawable_get_shadow_buffer(drawable));
  const auto merging_began = std::chrono::steady_clock::now();
  gimp_drawable_merge_shadow(drawable, TRUE);
  gimp_drawable_update(drawable, 0, 0, gimp_drawable_width(drawable),
                       gimp_drawable_height(drawable));
  std::fprintf(stderr, "merge %.3f s\n", seconds_since(merging_began));
  static GimpParam done{GIMP_PDB_STATUS, {}};
  done.data.d_status = GIMP_PDB_SUCCESS;
  *result_count = 1;
  *results = &done;
}

}  // namespace

const GimpPlugInInfo PLUG_IN_INFO{nullptr, nullptr, query, run};

MAIN()

#endif
