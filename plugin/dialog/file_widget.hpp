// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>

#include "plugin/dialog/value_widget.hpp"

namespace cuda_filters::plugin {

/// The name of a file as a text, and a button that asks which file it shall be.
class FileWidget final : public ValueWidget {
 public:
  FileWidget(const Param& param, std::function<void()> changed);
  GtkWidget* widget() override { return row_; }
  Value value() const override;
  void show(const Value& value) override;

 private:
  void ask();

  const Param& param_;
  GtkWidget *row_, *entry_;
};

}  // namespace cuda_filters::plugin
