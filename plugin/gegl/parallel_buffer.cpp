// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/parallel_buffer.hpp"

#include <algorithm>

#include "plugin/gegl/parallel_range.hpp"
#include "plugin/gegl/version.hpp"

namespace cuda_filters::plugin {
namespace {

/// Calls body(part) for parts that make up `area`, in threads of GEGL: copying a picture would keep
/// one core busy for longer than a GPU needs to filter it.
template <class Body>
void in_parts(Rect area, const Encoding& encoding, const Body& body) {
  constexpr int rows = 32;  // of a part, at least
  // As many bytes are copied while another thread begins.
  constexpr double begins = 65536.0;
  const double part_bytes =
      static_cast<double>(rows) * area.width * encoding.format.bytes_per_pixel();
  parallel_range((area.height + rows - 1) / rows, begins / part_bytes, [&](int first, int last) {
    const int begin = first * rows, end = std::min(last * rows, area.height);
    body(Rect{area.x, area.y + begin, area.width, end - begin});
  });
}

}  // namespace

std::shared_ptr<const Version> InputSource::version() {
  return version_of(buffer(), image(), format().babl);
}

void InputSource::read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) {
  in_parts(area, encoding, [&](Rect part) {
    BufferSource::read(part, encoding, to + (part.y - area.y) * stride, stride);
  });
}

std::shared_ptr<const Version> OutputSink::version() {
  return image_ ? version_of(buffer(), *image_, format().babl) : nullptr;
}

void OutputSink::write(Rect area, const Encoding& encoding, const std::byte* from,
                       std::size_t stride) {
  in_parts(area, encoding, [&](Rect part) {
    BufferSink::write(part, encoding, from + (part.y - area.y) * stride, stride);
  });
}

}  // namespace cuda_filters::plugin
