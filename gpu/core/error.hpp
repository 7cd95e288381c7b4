// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <stdexcept>
#include <string>

namespace cuda_filters {

/// Everything that a run can fail with. `what()` is a translated sentence for the user: what
/// failed, where, and what to do.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The arguments are wrong; nothing has been read or written.
struct ArgumentError : Error {
  using Error::Error;
};

/// The device had no room; the engine retries with smaller bands before anybody sees it.
struct DeviceMemoryError : Error {
  using Error::Error;
};

/// Any other failure of the device.
struct DeviceError : Error {
  using Error::Error;
};

/// A device that was picked without asking the driver does not exist.
struct NoDeviceError : DeviceError {
  using DeviceError::DeviceError;
};

/// The observer asked to stop.
struct Cancelled : Error {
  using Error::Error;
};

}  // namespace cuda_filters
