// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preset_file.hpp"

#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>

#include "gpu/core/chain.hpp"
#include "gpu/core/error.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

// The groups: [file] with the version, and for each preset one with its name and its values.
constexpr const char *file_group = "file", *version_key = "version", *name_key = "preset-name";
constexpr int version = 1;

struct FreeKeyFile {
  void operator()(GKeyFile* file) const { g_key_file_free(file); }
};
using KeyFile = std::unique_ptr<GKeyFile, FreeKeyFile>;

std::string taken(gchar* text) {
  std::string copy = text != nullptr ? text : "";
  g_free(text);
  return copy;
}

/// Why something failed, for people; the error is freed.
std::string reason(GError* error) {
  std::string message = error != nullptr ? error->message : "";
  g_clear_error(&error);
  return message;
}

enum class State { absent, readable, unreadable, broken, too_new };

/// Reads the file; one that cannot be read may well hold presets, and `why` says what prevents it.
State load(GKeyFile* file, const std::string& path, std::string& why) {
  GError* error = nullptr;
  const bool loaded = g_key_file_load_from_file(file, path.c_str(), G_KEY_FILE_NONE, &error);
  const bool absent = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT) != FALSE;
  const bool unreadable = error != nullptr && error->domain == G_FILE_ERROR;
  why = reason(error);
  if (absent) return State::absent;
  if (unreadable) return State::unreadable;
  const int found = loaded ? g_key_file_get_integer(file, file_group, version_key, nullptr) : 0;
  if (found < 1) return State::broken;
  return found > version ? State::too_new : State::readable;
}

std::vector<std::string> groups_of(GKeyFile* file) {
  gchar** groups = g_key_file_get_groups(file, nullptr);
  std::vector<std::string> names;
  for (gchar** group = groups; *group != nullptr; ++group)
    if (*group != std::string{file_group}) names.emplace_back(*group);
  g_strfreev(groups);
  return names;
}

std::string name_of(GKeyFile* file, const std::string& group) {
  return taken(g_key_file_get_string(file, group.c_str(), name_key, nullptr));
}

/// The values of a group. Throws ArgumentError unless the filter can take them.
Values values_of(GKeyFile* file, const std::string& group, const FilterEntry& filter) {
  std::vector<std::string> words;
  for (const Param& param : filter.params)
    if (g_key_file_has_key(file, group.c_str(), param.name, nullptr))
      words.push_back(std::string{param.name} + '=' +
                      taken(g_key_file_get_string(file, group.c_str(), param.name, nullptr)));
  Values values = parse_values(filter, words);
  validate(filter.params, values);
  return values;
}

void remove_named(GKeyFile* file, const std::string& name) {
  for (const std::string& group : groups_of(file))
    if (name_of(file, group) == name) g_key_file_remove_group(file, group.c_str(), nullptr);
}

void add(GKeyFile* file, const SavedPreset& preset, std::span<const Param> params) {
  int number = 1;
  std::string group;
  do group = "preset " + std::to_string(number++);
  while (g_key_file_has_group(file, group.c_str()));
  g_key_file_set_string(file, group.c_str(), name_key, preset.name.c_str());
  for (std::size_t i = 0; i < params.size(); ++i)
    g_key_file_set_string(file, group.c_str(), params[i].name,
                          value_text(params[i], preset.values[i]).c_str());
}

[[noreturn]] void fail_to_save(const std::string& why) {
  throw Error{format_text(_("The presets could not be saved: %s. Free some space, or let yourself "
                            "write to that folder."),
                          why.c_str())};
}

/// Reads the file, lets `edit` change what is in it, and writes it beside and in its place.
template <class Edit>
void edit_file(const std::string& path, Edit edit) {
  KeyFile file{g_key_file_new()};
  std::string why;
  switch (load(file.get(), path, why)) {
    case State::too_new:
      throw Error{format_text(
          _("The presets in '%s' were written by a later version of the CUDA filters. Install that "
            "one, or move the file away."),
          path.c_str())};
    case State::unreadable:
      fail_to_save(path + ": " + why);
    case State::broken:
      if (g_rename(path.c_str(), (path + ".broken").c_str()) != 0)
        fail_to_save(path + ": " + g_strerror(errno));
      file.reset(g_key_file_new());
      break;
    case State::absent:
    case State::readable:
      break;
  }
  g_key_file_set_integer(file.get(), file_group, version_key, version);
  edit(file.get());
  gsize size = 0;
  gchar* text = g_key_file_to_data(file.get(), &size, nullptr);
  gchar* folder = g_path_get_dirname(path.c_str());
  const int refused = g_mkdir_with_parents(folder, 0700) == 0 ? 0 : errno;
  const std::string folder_name = taken(folder);
  GError* error = nullptr;
  const bool written =
      refused == 0 && g_file_set_contents(path.c_str(), text, static_cast<gssize>(size), &error);
  g_free(text);
  if (refused != 0) fail_to_save(folder_name + ": " + g_strerror(refused));
  if (!written) fail_to_save(reason(error));
}

}  // namespace

PresetFile::PresetFile(const FilterEntry& filter)
    : filter_{filter},
      path_{taken(g_build_filename(g_get_user_config_dir(), GETTEXT_DOMAIN, "presets",
                                   (std::string{filter.info.name} + ".ini").c_str(), nullptr))} {}

std::vector<SavedPreset> PresetFile::read() const {
  const KeyFile file{g_key_file_new()};
  std::vector<SavedPreset> presets;
  std::string why;
  if (load(file.get(), path_, why) != State::readable) return presets;
  for (const std::string& group : groups_of(file.get())) try {
      const std::string name = name_of(file.get(), group);
      if (!name.empty()) presets.push_back({name, values_of(file.get(), group, filter_)});
    } catch (const ArgumentError&) {
      continue;  // the filter has changed since, or somebody has edited the file
    }
  std::ranges::sort(presets, {}, &SavedPreset::name);
  return presets;
}

void PresetFile::save(const SavedPreset& preset) const {
  edit_file(path_, [&](GKeyFile* file) {
    remove_named(file, preset.name);
    add(file, preset, filter_.params);
  });
}

void PresetFile::remove(const std::string& name) const {
  edit_file(path_, [&](GKeyFile* file) { remove_named(file, name); });
}

}  // namespace cuda_filters::plugin
