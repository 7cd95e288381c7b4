// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <memory>

#include "gpu/core/param.hpp"

namespace cuda_filters::plugin {

/// What a user sets a parameter with.
class ValueWidget {
 public:
  virtual ~ValueWidget() = default;
  /// What stands in the dialog, beside the parameter's label; a toggle shows the label itself.
  virtual GtkWidget* widget() = 0;
  virtual Value value() const = 0;
  /// Shows a value that something else has set, which calls `changed` if it is another one.
  virtual void show(const Value& value) = 0;
};

/// The widget for a parameter, with its tooltip. It calls `changed` whenever its value changes.
std::unique_ptr<ValueWidget> new_value_widget(const Param& param, std::function<void()> changed);

}  // namespace cuda_filters::plugin
