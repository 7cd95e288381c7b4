// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/formula_widget.hpp"

#include <string_view>
#include <utility>

#include "gpu/algorithms/pixel_math/program.hpp"
#include "gpu/algorithms/pixel_math/tokens.hpp"
#include "gpu/core/error.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int view_width = 300, view_height = 110;

/// How many characters of a text are before a place, which may be its end.
gint characters_before(std::string_view text, pixel_math::TextPlace place) {
  std::size_t line_begin = 0;
  for (int line = 1; line < place.line; ++line) line_begin = text.find('\n', line_begin) + 1;
  return static_cast<gint>(g_utf8_strlen(text.data(), static_cast<gssize>(line_begin))) +
         place.column - 1;
}

bool is_of_a_word(const GtkTextIter& at) {
  const gunichar character = gtk_text_iter_get_char(&at);
  return g_unichar_isalnum(character) || character == '_' || character == '.';
}

}  // namespace

FormulaWidget::FormulaWidget(const Param& param, std::function<void()> changed)
    : view_{gtk_text_view_new()},
      scrolled_{new_scrolled(view_, view_width, view_height)},
      error_{gtk_text_buffer_create_tag(buffer(), nullptr, "underline", PANGO_UNDERLINE_ERROR,
                                        nullptr)} {
  set_mnemonic_target(scrolled_, view_);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view_), FALSE);
  use_fixed_width_font(view_);
  gimp_help_set_help_data(view_, _(param.blurb), nullptr);
  set_accessible_name(view_, _("Formula"));
  connect(buffer(), "changed", [this, changed = std::move(changed)] {
    underline_error();
    changed();
  });
}

void FormulaWidget::underline_error() {
  GtkTextIter begin, end;
  gtk_text_buffer_get_bounds(buffer(), &begin, &end);
  gtk_text_buffer_remove_tag(buffer(), error_, &begin, &end);
  const std::string text = text_in(buffer());
  try {
    pixel_math::compile(text);
  } catch (const pixel_math::FormulaError& error) {
    gtk_text_buffer_get_iter_at_offset(buffer(), &begin, characters_before(text, error.place));
    // Where something lacks at the end of a line, what is before it is underlined.
    if (gtk_text_iter_ends_line(&begin)) gtk_text_iter_backward_char(&begin);
    end = begin;
    gtk_text_iter_forward_char(&end);
    if (is_of_a_word(begin))
      while (is_of_a_word(end)) gtk_text_iter_forward_char(&end);
    gtk_text_buffer_apply_tag(buffer(), error_, &begin, &end);
  } catch (const ArgumentError&) {
    // The whole is too large: no place is wrong.
  }
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
