// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/parallel_buffer.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

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
  struct Call {
    Rect area;
    const Body& body;
    std::mutex mutex;
    std::exception_ptr error;  ///< the first one: none may leave a thread of GEGL
  } call{area, body, {}, {}};
  const auto parts = static_cast<gsize>((area.height + rows - 1) / rows);
  gegl_parallel_distribute_range(
      parts, begins / part_bytes,
      [](gsize first, gsize count, gpointer data) {
        auto& [area, body, mutex, error] = *static_cast<Call*>(data);
        const int begin = static_cast<int>(first) * rows;
        const int end = std::min(static_cast<int>(first + count) * rows, area.height);
        try {
          body(Rect{area.x, area.y + begin, area.width, end - begin});
        } catch (...) {
          const std::lock_guard lock{mutex};
          if (error == nullptr) error = std::current_exception();
        }
      },
      &call);
  if (call.error != nullptr) std::rethrow_exception(call.error);
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

void OutputSink::write(Rect area, const Encoding& encoding, const std::byte* from,
                       std::size_t stride) {
  in_parts(area, encoding, [&](Rect part) {
    BufferSink::write(part, encoding, from + (part.y - area.y) * stride, stride);
  });
}

}  // namespace cuda_filters::plugin
