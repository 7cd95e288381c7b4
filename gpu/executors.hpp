// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once

// The executors that there are, for headers that declare what they compute.

namespace cuda_filters {

namespace cpu {
class Channel;
class Exec;
class Input;
class Output;
}  // namespace cpu
namespace cuda {
class Channel;
class Exec;
class Input;
class Output;
}  // namespace cuda

}  // namespace cuda_filters
