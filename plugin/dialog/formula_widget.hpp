// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include "plugin/dialog/value_widget.hpp"

namespace cuda_filters::plugin {

/// A formula of several lines, in letters of one width, so that the columns that messages name can
/// be counted. What is wrong in it is underlined.
class FormulaWidget final : public ValueWidget {
 public:
  FormulaWidget(const Param& param, std::function<void()> changed);
  GtkWidget* widget() override { return scrolled_; }
  Value value() const override;
  void show(const Value& value) override;

 private:
  GtkTextBuffer* buffer() const;
  void underline_error();

  GtkWidget *view_, *scrolled_;
  GtkTextTag* error_;
};

}  // namespace cuda_filters::plugin
