// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// Follows a run. Calls come from the thread that called run().
class Observer {
 public:
  virtual ~Observer() = default;
  /// `fraction` of the run is done; false asks to stop, and run() throws Cancelled. Called at least
  /// ten times a second while a device computes, with the same fraction if that is no news. (Where
  /// the system starts no threads, once a band.)
  virtual bool progress(double /*fraction*/) { return true; }
  /// A sentence for the user that is no error, such as why the run went on without the GPU.
  virtual void note(const std::string& /*sentence*/) {}
};

/// Where the time of a run went, in seconds, which overlap; the CPU has no context and no copies.
struct Times {
  double read = 0.0, write = 0.0;  ///< in the source and in the sink
  double context = 0.0;  ///< until the GPU could be used, counted from the run's beginning
  /// On a GPU those of every few bands, and as much in proportion for the others.
  double upload = 0.0, compute = 0.0, download = 0.0;
  /// From the first byte on its way to the GPU until the host has seen that the last one is back.
  double device = 0.0;

  Times& operator+=(const Times& more) {
    read += more.read, write += more.write;
    context += more.context;
    upload += more.upload, compute += more.compute, download += more.download;
    device += more.device;
    return *this;
  }
};

/// What a run did.
struct Report {
  std::string device;    ///< the name of the GPU that did the work, or of the processor
  bool on_gpu = false;   ///< all of it
  std::string fallback;  ///< why it went on, or began, on the CPU though a GPU was wanted
  int bands = 0;
  Times times;
  std::vector<double> findings;  ///< in the order of the filter's table
};

/// A graphics processor as the driver describes it; sizes in bytes.
struct GpuDescription {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;
  std::size_t memory_total = 0;
  std::string problem{};  ///< why this process can use it no more, or empty
};

/// What there is to run on for this process. Asking makes no context and needs no driver.
struct DeviceReport {
  std::vector<GpuDescription> gpus;             ///< that can be used
  std::vector<GpuDescription> lost;             ///< that could be used before they failed
  int driver_version = 0, runtime_version = 0;  ///< 1000·major + 10·minor; 0: none
  std::string problem;                          ///< why there is no usable GPU, or empty
};
DeviceReport describe_devices();

/// Why this process can use no more the GPUs that it has lost, a sentence each. Asks no driver.
std::vector<std::string> lost_gpus();

/// The free memory of GPU number `gpu` in bytes, or 0 if it does not say. Makes a context there.
std::size_t free_memory(int gpu);

/// How many bytes of a GPU's memory a run may plan with by CUDA_FILTERS_MEMORY, in MiB. Throws
/// ArgumentError if the variable is no such number.
std::size_t memory_limit();

/// Where a run will go and why: `gpu` is a device's index, or -1 for the CPU.
struct DeviceChoice {
  int gpu = -1;
  std::string reason;
  std::vector<int> others{};  ///< more GPUs, which share the work
  std::string missing{};      ///< a sentence if a GPU was asked for by name and there is none
};
/// By CUDA_FILTERS_DEVICE (`cpu`, or a device's number, or several with commas between), else the
/// first GPU, else the CPU. Throws ArgumentError if the variable names no device, or as
/// memory_limit().
DeviceChoice choose_device();
/// As choose_device(), but where the variable leaves it open, a job on so many pixels goes where it
/// ends first by an estimate; the first of a process waits for the GPU to start. The driver is not
/// even asked about what the CPU does before that. A job that would keep one GPU busy for longer
/// than another one takes to start is shared with all that have the same name. `again`: it is one
/// of many such runs, for which the GPU need start but once.
DeviceChoice choose_device(const Job& job, double pixels, bool again = false);

/// Gives back the memory of GPUs that earlier runs of this process keep for the next one, and the
/// image that may lie there.
void release_idle_memory();

/// About how many seconds the processor takes for a job on so many pixels.
double cpu_seconds(const Job& job, double pixels);

/// The processor's name and how many threads a run uses.
std::string describe_cpu();
/// How many threads a run uses.
int cpu_threads();

/// Applies `job` to the pixels of `region`, band by band, and hands the results to `sink`; pixels
/// around the region are read where the filter looks at them. The region lies inside of the result,
/// which has the size of `source` unless the filter changes it: Plan::output of a fitted job, and
/// of another one what fitted() makes of it. A filter that makes a new image reads all of
/// `source`, whatever the region is, and tells the sink how large the image is.
/// Memory that runs out, of the device or of the host, halves the bands; if that does not help, or
/// the device fails otherwise, the CPU goes on from the band that failed, and the observer and the
/// report say so. Throws Error when the source, the sink or the CPU fails, std::bad_alloc when the
/// CPU has no memory either, and Cancelled within a fraction of a second when the observer cancels.
Report run(const Job& job, Source& source, Sink& sink, Rect region, const DeviceChoice& device,
           Observer& observer);

}  // namespace cuda_filters
