// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/text_expander.hpp"

#include <utility>

#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int view_width = 300, view_height = 72;

}  // namespace

TextExpander::TextExpander(const char* tooltip,
                           std::function<void(const std::string& text)> changed)
    : changed_{std::move(changed)},
      expander_{gtk_expander_new_with_mnemonic(_("As te_xt"))},
      view_{gtk_text_view_new()} {
  gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view_), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view_), FALSE);
  gimp_help_set_help_data(view_, tooltip, nullptr);
  set_accessible_name(view_, _("Text"));
  gtk_container_add(GTK_CONTAINER(expander_), new_scrolled(view_, view_width, view_height));
  GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view_));
  connect(buffer, "changed", [this, buffer] {
    if (!showing_) changed_(text_in(buffer));
  });
  // Who opens it wants to write, as soon as there is the view: before GTK tells of it, or after.
  const auto focus = [this] {
    if (opened_ && gtk_widget_get_mapped(view_)) opened_ = false, gtk_widget_grab_focus(view_);
  };
  connect(expander_, "notify::expanded", [this, focus] {
    opened_ = !showing_ && gtk_expander_get_expanded(GTK_EXPANDER(expander_));
    focus();
  });
  connect(view_, "map", focus);
}

void TextExpander::show(const std::string& text) {
  GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view_));
  if (text_in(buffer) == text) return;
  showing_ = true;
  gtk_text_buffer_set_text(buffer, text.c_str(), static_cast<gint>(text.size()));
  showing_ = false;
}

void TextExpander::open() {
  showing_ = true;
  gtk_expander_set_expanded(GTK_EXPANDER(expander_), TRUE);
  showing_ = false;
}

}  // namespace cuda_filters::plugin
