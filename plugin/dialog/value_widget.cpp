// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/value_widget.hpp"

#include <utility>

#include "plugin/dialog/chain_widget.hpp"
#include "plugin/dialog/file_widget.hpp"
#include "plugin/dialog/formula_widget.hpp"
#include "plugin/dialog/matrix_widget.hpp"
#include "plugin/dialog/number_widget.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/names.hpp"
#include "plugin/number_form.hpp"

namespace cuda_filters::plugin {
namespace {

/// A number, with a slider for those that are used most.
class ParamNumber final : public ValueWidget {
 public:
  ParamNumber(const Param& param, std::function<void()> changed)
      : number_{{.range = param.range,
                 .slider = param.slider,
                 .gamma = slider_gamma(param),
                 .step = small_step(param),
                 .digits = decimals(param),
                 .unit = unit_name(param.unit)},
                _(param.blurb),
                std::move(changed)} {}
  GtkWidget* widget() override { return number_.widget(); }
  Value value() const override { return number_.value(); }
  void show(const Value& value) override { number_.show(std::get<double>(value)); }

 private:
  NumberWidget number_;
};

class CheckBox final : public ValueWidget {
 public:
  CheckBox(const Param& param, std::function<void()> changed)
      : box_{gtk_check_button_new_with_mnemonic(_(param.label))} {
    gimp_help_set_help_data(box_, _(param.blurb), nullptr);
    connect(box_, "toggled", std::move(changed));
  }
  GtkWidget* widget() override { return box_; }
  Value value() const override {
    return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(box_)) ? 1.0 : 0.0;
  }
  void show(const Value& value) override {
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(box_), std::get<double>(value) != 0.0);
  }

 private:
  GtkWidget* box_;
};

class ChoiceBox final : public ValueWidget {
 public:
  ChoiceBox(const Param& param, std::function<void()> changed)
      : box_{GTK_WIDGET(g_object_new(GIMP_TYPE_INT_COMBO_BOX, nullptr))} {
    int value = 0;
    for (const auto& [nick, label] : param.choices)
      gimp_int_combo_box_append(GIMP_INT_COMBO_BOX(box_), GIMP_INT_STORE_VALUE, value++,
                                GIMP_INT_STORE_LABEL, _(label), -1);
    gimp_help_set_help_data(box_, _(param.blurb), nullptr);
    connect(box_, "changed", std::move(changed));
  }
  GtkWidget* widget() override { return box_; }
  Value value() const override {
    gint active = 0;
    gimp_int_combo_box_get_active(GIMP_INT_COMBO_BOX(box_), &active);
    return static_cast<double>(active);
  }
  void show(const Value& value) override {
    gimp_int_combo_box_set_active(GIMP_INT_COMBO_BOX(box_),
                                  static_cast<gint>(std::get<double>(value)));
  }

 private:
  GtkWidget* box_;
};

class TextEntry final : public ValueWidget {
 public:
  TextEntry(const Param& param, std::function<void()> changed) : entry_{gtk_entry_new()} {
    gtk_entry_set_activates_default(GTK_ENTRY(entry_), TRUE);
    gtk_entry_set_width_chars(GTK_ENTRY(entry_), 32);
    gimp_help_set_help_data(entry_, _(param.blurb), nullptr);
    connect(entry_, "changed", std::move(changed));
  }
  GtkWidget* widget() override { return entry_; }
  Value value() const override { return std::string{gtk_entry_get_text(GTK_ENTRY(entry_))}; }
  void show(const Value& value) override {
    gtk_entry_set_text(GTK_ENTRY(entry_), std::get<std::string>(value).c_str());
  }

 private:
  GtkWidget* entry_;
};

}  // namespace

std::unique_ptr<ValueWidget> new_value_widget(const Param& param, std::function<void()> changed) {
  switch (param.kind) {
    case Kind::real:
    case Kind::integer:
      return std::make_unique<ParamNumber>(param, std::move(changed));
    case Kind::toggle:
      return std::make_unique<CheckBox>(param, std::move(changed));
    case Kind::choice:
      return std::make_unique<ChoiceBox>(param, std::move(changed));
    case Kind::text:
      if (param.text_format == TextFormat::matrix)
        return std::make_unique<MatrixWidget>(param, std::move(changed));
      if (param.text_format == TextFormat::steps)
        return std::make_unique<ChainWidget>(param, std::move(changed));
      if (param.text_format == TextFormat::file)
        return std::make_unique<FileWidget>(param, std::move(changed));
      if (param.text_format == TextFormat::formula)
        return std::make_unique<FormulaWidget>(param, std::move(changed));
      break;
  }
  return std::make_unique<TextEntry>(param, std::move(changed));
}

}  // namespace cuda_filters::plugin
