// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "plugin/buffer.hpp"

namespace cuda_filters::plugin {

/// The pixels of a buffer of this process, which several threads may read at a time.
class InputSource final : public BufferSource {
 public:
  using BufferSource::BufferSource;
  std::shared_ptr<const Version> version() override;
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override;
};

/// A sink for a buffer of this process, which several threads may write at a time.
class OutputSink final : public BufferSink {
 public:
  using BufferSink::BufferSink;
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override;
};

}  // namespace cuda_filters::plugin
