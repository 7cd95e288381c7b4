// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/band.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/report.hpp"

namespace cuda_filters {

/// What a band looks at of one picture, in pixels of the image that the filter changes.
struct BandInput {
  Lookup lookup;  ///< finds the pixels of the band, grown by the halo, in the store
  std::vector<RowSlots::RowSpan> fresh;  ///< slots that were filled since the band before
};

/// One piece of a run: what to compute, from which stored rows, and where the result goes.
struct Band {
  BandInput in;
  BandInput aux;             ///< of the second picture, if there is one
  Rect out;                  ///< in pixels of the image
  std::byte* result;         ///< rows without gaps
  bool result_stays;         ///< it is the backend's memory, else the host's
  void* analysis;            ///< the state that an analysis of `out` adds to, or null
  Rect analysis_area;        ///< what all bands of that analysis go through
  const std::uint8_t* mask;  ///< for it: how much each pixel of `out` is selected, or null
  const void* state;         ///< the finished one for apply()
};

/// The store that the bands of a run share: slots of one row each.
struct RowStore {
  const std::byte* rows;
  int slots;
  std::size_t slot_bytes;
  bool stays = false;     ///< it is the backend's memory and complete, else the host's
  bool is_image = false;  ///< `rows` are the image's from row 0 on, else what is in the slots
  /// No band needs anything of another one, and all results go to the host.
  bool bands_are_apart = false;
  /// If not 0, the device puts together a copy of the whole image, of so many rows, from what is
  /// uploaded.
  int image_rows = 0;

  /// Where the host has the rows of a run.
  const std::byte* rows_of(const RowSlots::RowSpan& run) const {
    return rows + static_cast<std::size_t>(is_image ? run.row : run.slot) * slot_bytes;
  }
};

/// A picture as the bands of a run find it.
struct StoredPicture {
  Encoding encoding;
  RowStore store;
};

/// What the bands of a run read, and how their results are stored.
struct RunPictures {
  StoredPicture in;
  std::optional<StoredPicture> aux;
  Encoding out;
  /// How large the result is if the device is to keep a copy of it, else empty. Then the bands make
  /// up all of it.
  Size cached_result{};
};

/// A device that computes bands. The engine calls upload() and process() from one thread of its
/// own, and the rest from another one; both from one, where the system starts no threads. In
/// upload() and process() the thread computes for the run, whose cancellation ends them:
/// cancellation.hpp.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Its name; empty if it never became ready.
  virtual std::string device() const = 0;
  virtual bool is_gpu() const = 0;
  /// Waits until it can be used, or cannot, which the first band tells.
  virtual void wait_until_ready() const {}
  /// Whether it computes in the host's memory.
  virtual bool uses_host_memory() const = 0;
  /// How many bands may be under way in the run that has begun, or in any run before that: start of
  /// their upload() to end of their finish().
  virtual int depth() const { return 1; }
  /// How many bytes of stored rows and results a run should keep on this device at once: a guess
  /// as long as the device is not ready.
  virtual std::size_t budget() const = 0;
  /// Host memory that this device copies from and to quickly.
  virtual std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) = 0;
  /// Memory that this device computes in. Throws DeviceMemoryError.
  virtual std::shared_ptr<std::byte[]> memory(std::size_t bytes) = 0;
  /// Begins a run, or begins it again with another store. Every later band belongs to it. What a
  /// device has to make ready is ready, or fails, with the first band.
  virtual void begin(const ResolvedJob& job, const RunPictures& pictures) = 0;
  /// Begins to bring over what a band needs, before process() is called for it and perhaps for
  /// bands before it. Throws DeviceMemoryError or DeviceError.
  virtual void upload(const Band&) {}
  /// Computes or analyzes a band; what it analyzed is in its state on return, but its result may be
  /// complete only after finish(). Throws DeviceMemoryError or DeviceError.
  virtual void process(const Band& band) = 0;
  /// Waits for the result of the first band that is under way, but no longer than `patience`: false
  /// if it is not there then. Throws DeviceError.
  virtual bool finish(std::chrono::milliseconds /*patience*/) { return true; }
  /// The number of the one GPU that it computes on, or -1.
  virtual int gpu() const { return -1; }
  /// Hands over that GPU's copy of the store, or of the image if the store asks for one, if the run
  /// that has begun needed one, all its bands are finished, and it is complete. It may outlive the
  /// backend.
  virtual std::shared_ptr<std::byte[]> take_rows() { return nullptr; }
  /// Hands over its copy of the result, as take_rows() does, if the run that has begun has one.
  virtual std::shared_ptr<std::byte[]> take_result() { return nullptr; }
  /// Waits for all that is under way, whose results nobody wants.
  virtual void abandon() noexcept {}
  /// What all bands took.
  virtual Times times() const = 0;
};

std::unique_ptr<Backend> make_cpu_backend();
/// Returns before the driver has been asked for GPU number `index`, which process() waits for; that
/// throws NoDeviceError if there is none. Throws DeviceError if this build has no executor for
/// GPUs, or if the system starts no thread.
std::unique_ptr<Backend> make_gpu_backend(int index);
/// Shares the bands of a run among devices, of which the first one does what cannot be shared:
/// analyses, and what stays in its memory. There is at least one.
std::unique_ptr<Backend> make_multi_backend(std::vector<std::unique_ptr<Backend>> devices);

}  // namespace cuda_filters
