// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/formula_widget.hpp"

#include <utility>

#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int view_width = 300, view_height = 110;

std::string text_in(GtkTextBuffer* buffer) {
  GtkTextIter begin, end;
  gtk_text_buffer_get_bounds(buffer, &begin, &end);
  gchar* text = gtk_text_buffer_get_text(buffer, &begin, &end, FALSE);
  std::string copy = text;
  g_free(text);
  return copy;
}

}  // namespace

FormulaWidget::FormulaWidget(const Param& param, std::function<void()> changed)
    : view_{gtk_text_view_new()}, scrolled_{new_scrolled(view_, view_width, view_height)} {
  set_mnemonic_target(scrolled_, view_);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view_), FALSE);
  use_fixed_width_font(view_);
  gimp_help_set_help_data(view_, _(param.blurb), nullptr);
  set_accessible_name(view_, _("Formula"));
  connect(buffer(), "changed", std::move(changed));
}

GtkTextBuffer* FormulaWidget::buffer() const {
  return gtk_text_view_get_buffer(GTK_TEXT_VIEW(view_));
}

Value FormulaWidget::value() const { return text_in(buffer()); }

void FormulaWidget::show(const Value& value) {
  const std::string& text = std::get<std::string>(value);
  if (text_in(buffer()) != text)
    gtk_text_buffer_set_text(buffer(), text.c_str(), static_cast<gint>(text.size()));
}

}  // namespace cuda_filters::plugin
