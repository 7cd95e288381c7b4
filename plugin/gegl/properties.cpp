// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/properties.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "plugin/i18n.hpp"
#include "plugin/names.hpp"
#include "plugin/number_form.hpp"
#include "plugin/property_name.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr auto property_flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_CONSTRUCT |
                                                         static_cast<int>(GEGL_PARAM_PAD_INPUT));

/// The type of a choice; made once, for good, as GEGL's own are.
GType enum_of(const FilterEntry& filter, const Param& param) {
  const std::string name = std::string{"cuda-"} + filter.info.name + '-' + param.name;
  if (const GType known = g_type_from_name(name.c_str()); known != 0) return known;
  auto* values = g_new0(GEnumValue, param.choices.size() + 1);
  for (std::size_t i = 0; i < param.choices.size(); ++i)
    values[i] = {static_cast<int>(i), g_strdup(_(param.choices[i].label)), param.choices[i].nick};
  return g_enum_register_static(name.c_str(), values);
}

GParamSpec* real_property(const Param& param, const char* name, const char* label) {
  const auto [min, max] = param.range;
  GParamSpec* spec =
      gegl_param_spec_double(name, label, _(param.blurb), min, max, param.initial, param.slider.min,
                             param.slider.max, slider_gamma(param), property_flags);
  auto* details = GEGL_PARAM_SPEC_DOUBLE(spec);
  gegl_param_spec_double_set_steps(details, small_step(param), 10.0 * small_step(param));
  gegl_param_spec_double_set_digits(details, param.digits);
  return spec;
}

GParamSpec* integer_property(const Param& param, const char* name, const char* label) {
  const auto integer = [](double number) { return static_cast<int>(number); };
  GParamSpec* spec = gegl_param_spec_int(name, label, _(param.blurb), integer(param.range.min),
                                         integer(param.range.max), integer(param.initial),
                                         integer(param.slider.min), integer(param.slider.max),
                                         slider_gamma(param), property_flags);
  const int step = integer(small_step(param));
  gegl_param_spec_int_set_steps(GEGL_PARAM_SPEC_INT(spec), step, 10 * step);
  return spec;
}

GParamSpec* new_property(const FilterEntry& filter, const Param& param) {
  const std::string own_name = property_name(param);
  const std::string own_label = without_mnemonic(label_of(param).c_str());
  const char *const name = own_name.c_str(), *const label = own_label.c_str();
  switch (param.kind) {
    case Kind::real:
      return real_property(param, name, label);
    case Kind::integer:
      return integer_property(param, name, label);
    case Kind::toggle:
      return g_param_spec_boolean(name, label, _(param.blurb), param.initial != 0.0,
                                  property_flags);
    case Kind::choice:
      return gegl_param_spec_enum(name, label, _(param.blurb), enum_of(filter, param),
                                  static_cast<int>(param.initial), property_flags);
    case Kind::text:
      break;
  }
  // A file's name, too: scripts in GIMP 3.0 can set no property of GEGL's kind for files.
  return g_param_spec_string(name, label, _(param.blurb), param.initial_text, property_flags);
}

/// What GEGL calls a unit, from which GIMP makes widgets: a dial of 360 degrees, and a button that
/// picks a place on the canvas; null if it has no name for it.
const char* gegl_unit(Unit unit) {
  switch (unit) {
    case Unit::pixels:
      return "pixel-distance";
    case Unit::degrees:
      return "degree";
    case Unit::relative_x:
    case Unit::relative_y:
      return "relative-coordinate";
    case Unit::none:
    case Unit::codes_of_255:
      break;
  }
  return nullptr;
}

/// Whether a chain ties another parameter of the filter to this one.
bool leads_another(const FilterEntry& filter, const Param& param) {
  return std::ranges::any_of(filter.params, [&](const Param& other) {
    return other.linked_to != nullptr && std::string_view{other.linked_to} == param.name;
  });
}

/// One that GIMP's dialogs do not show, for expressions about others.
GParamSpec* hidden_property(const char* name, const char* label, const char* blurb,
                            gboolean initial) {
  GParamSpec* spec = g_param_spec_boolean(name, label, blurb, initial, G_PARAM_READWRITE);
  gegl_param_spec_set_property_key(spec, "role", "output-extent");
  return spec;
}

/// What GIMP takes for true of the properties where one condition holds; nothing if it cannot be
/// said: GIMP compares no numbers.
std::optional<std::string> expression(const FilterEntry& filter, const Condition& condition) {
  if (condition.test == Condition::Test::alpha) return has_alpha_name;
  const Param& other = *std::ranges::find(filter.params, std::string_view{condition.param},
                                          [](const Param& param) { return param.name; });
  const bool equal = condition.test == Condition::Test::equal;
  const std::string name = property_name(other);
  if (other.kind == Kind::toggle) return (equal == (condition.value != 0.0) ? "" : "! ") + name;
  if (other.kind != Kind::choice) return std::nullopt;
  const auto position = static_cast<std::size_t>(condition.value);
  return (equal ? "" : "! ") + name + " {" + other.choices[position].nick + '}';
}

/// What GIMP takes for true where the conditions hold; empty for always, and if it cannot be said.
std::string expression(const FilterEntry& filter, const Conditions& conditions) {
  std::string all;
  for (const Condition& condition : conditions.list()) {
    const auto one = expression(filter, condition);
    if (!one) return {};
    if (!all.empty()) all += conditions.any() ? " | " : " & ";
    all += *one;
  }
  return all;
}

}  // namespace

GParamSpec* property_of(const FilterEntry& filter, const Param& param) {
  GParamSpec* spec = new_property(filter, param);
  if (const char* unit = gegl_unit(param.unit); unit != nullptr)
    gegl_param_spec_set_property_key(spec, "unit", unit);
  if (param.linked_to != nullptr || param.unit == Unit::relative_y)
    gegl_param_spec_set_property_key(spec, "axis", "y");
  if (leads_another(filter, param) || param.unit == Unit::relative_x)
    gegl_param_spec_set_property_key(spec, "axis", "x");
  if (param.kind == Kind::text && param.text_format != TextFormat::file)
    gegl_param_spec_set_property_key(spec, "multiline", "true");
  if (const std::string condition = expression(filter, param.applies_if); !condition.empty())
    gegl_param_spec_set_property_key(spec, "sensitive", condition.c_str());
  return spec;
}

bool looks_at_alpha(const FilterEntry& filter) {
  return std::ranges::any_of(filter.params, [](const Param& param) {
    return std::ranges::any_of(param.applies_if.list(), [](const Condition& condition) {
      return condition.test == Condition::Test::alpha;
    });
  });
}

GParamSpec* has_alpha_property() {
  return hidden_property(has_alpha_name, _("Alpha channel"),
                         _("Whether the picture has an alpha channel"), TRUE);
}

GParamSpec* has_error_property() {
  return hidden_property(has_error_name, _("The picture is unchanged"),
                         _("Whether the values give no result"), FALSE);
}

GParamSpec* error_property() {
  GParamSpec* spec = g_param_spec_string(error_name, _("The picture is unchanged"),
                                         _("Why the values give no result"), "", G_PARAM_READWRITE);
  gegl_param_spec_set_property_key(spec, error_name, "true");
  // Else a dialog shows the message that is empty, too, until the property changes.
  gegl_param_spec_set_property_key(spec, "visible", has_error_name);
  return spec;
}

Value value_of(const Param& param, const GValue* value) {
  switch (param.kind) {
    case Kind::real:
      return g_value_get_double(value);
    case Kind::integer:
      return static_cast<double>(g_value_get_int(value));
    case Kind::toggle:
      return g_value_get_boolean(value) ? 1.0 : 0.0;
    case Kind::choice:
      return static_cast<double>(g_value_get_enum(value));
    case Kind::text:
      break;
  }
  const char* text = g_value_get_string(value);
  return std::string{text != nullptr ? text : ""};
}

void set_value(GValue* value, const Param& param, const Value& from) {
  if (param.kind == Kind::text)
    return g_value_set_string(value, std::get<std::string>(from).c_str());
  const double number = std::get<double>(from);
  switch (param.kind) {
    case Kind::real:
      return g_value_set_double(value, number);
    case Kind::integer:
      return g_value_set_int(value, static_cast<int>(number));
    case Kind::toggle:
      return g_value_set_boolean(value, number != 0.0);
    case Kind::choice:
      return g_value_set_enum(value, static_cast<int>(number));
    case Kind::text:
      break;
  }
}

}  // namespace cuda_filters::plugin
