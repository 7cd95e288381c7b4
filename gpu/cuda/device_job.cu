// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/cuda/device_job.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

/// What the stream did with the buffer before, it has done then.
template <class T>
const T* uploaded(Buffer<T>& buffer, const std::vector<T>& values, cudaStream_t stream) {
  if (buffer.count() < values.size()) buffer = Buffer<T>{values.size(), stream};
  buffer.upload(values.data(), values.size());
  return buffer.data();
}

}  // namespace

DeviceJob::DeviceJob(const Job& job, const Encoding& in, const Encoding& out, const RowStore& store,
                     cudaStream_t stream)
    : job_{job}, in_{in}, out_{out}, store_{store}, stream_{stream} {
  if (!store.stays) rows_ = {store.slots * store.slot_bytes, stream};
  curves_.decoding = terms_of(in.transfer);
  curves_.encoding = terms_of(inverse(in.transfer));
  curves_.transfers = in.transfer.kind != Transfer::Kind::none;
  for (int c = 0; c < 3; ++c) {
    const Curve* curve = in.curves[c].get();
    if (curve == nullptr) continue;
    if (c > 0 && curve == in.curves[0].get()) {
      curves_.values[c] = curves_.values[0];
      curves_.thresholds[c] = curves_.thresholds[0];
      curves_.buckets[c] = curves_.buckets[0];
      continue;
    }
    curves_.values[c] = uploaded(values_[c], curve->values, stream);
    curves_.thresholds[c] = uploaded(thresholds_[c], curve->thresholds, stream);
    curves_.buckets[c] = uploaded(buckets_[c], curve->buckets, stream);
  }
  if (in.curves[0] != nullptr) follow_formula(in);
}

void DeviceJob::follow_formula(const Encoding& in) {
  const Transfer formula = in.curves[0]->formula;
  curves_.encoding = terms_of(inverse(formula));
  const float exponent = curves_.encoding.exponent;
  if (formula.kind == Transfer::Kind::none || exponent < 0.25f || exponent > 8.0f) return;
  double deviation = 0.0;
  for (const auto& curve : in.curves) {
    if (curve->formula != formula) return;
    deviation = std::max(deviation, curve->deviation);
  }
  // Beside that, what a GPU's own functions and floats are off; the logarithm's error counts as
  // many times as the exponent says.
  const double own = 1e-6 * code_count(in.format.type) * std::max(1.0f, exponent);
  curves_.margin = static_cast<float>(deviation + own);
}

RowStore DeviceJob::on_device() const {
  RowStore store = store_;
  store.rows = rows_.data(), store.stays = true;
  return store;
}

void DeviceJob::upload(const RowSlots::RowSpan& run, cudaStream_t stream) {
  check(cudaMemcpyAsync(rows_.data() + run.slot * store_.slot_bytes, store_.rows_of(run),
                        run.count * store_.slot_bytes, cudaMemcpyHostToDevice, stream));
}

void DeviceJob::look_up(const Lookup& lookup) {
  uploaded(row_table_, lookup.rows, stream_);
  straight_rows_ = longest_straight_run(lookup.rows);
  if (columns_ != lookup.columns) {
    columns_ = lookup.columns;
    uploaded(column_table_, columns_, stream_);
    straight_columns_ = longest_straight_run(columns_);
  }
  area_ = lookup.area;
  image_ = {0, 0, lookup.width, lookup.height};
}

Input DeviceJob::input() const {
  return {.store = store_.stays ? store_.rows : rows_.data(),
          .slot_bytes = store_.slot_bytes,
          .slots = store_.slots,
          .rows = {row_table_.data(), straight_rows_},
          .columns = {column_table_.data(), straight_columns_},
          .area = area_,
          .image = image_,
          .mask = nullptr,
          .format = in_.format,
          .alpha = job_.plan.alpha,
          .curves = curves_};
}

void DeviceJob::compute(Rect out, std::byte* result, const void* state) {
  const Input in = input();
  Exec exec{stream_, job_.plan.alpha, in, out, job_.plan.temporaries, cache_};
  const auto [width, height] = job_.plan.output;
  // Of another number type, the output has the image's own numbers.
  const bool same = out_.format.type == in_.format.type;
  Output output{.codes = result,
                .area = out,
                .original = in,
                .format = out_.format,
                .curves = same ? curves_ : DeviceCurves{},
                .image = {0, 0, width, height},
                .resized = job_.plan.output != image_.size()};
  if (output.resized && in.alpha == Alpha::passthrough) output.original.alpha = Alpha::channel;
  job_.filter->run_cuda(exec, job_.params.get(), in, output, state);
}

void DeviceJob::analyze(Rect area, const std::uint8_t* mask, void* state) {
  Input in = input();
  if (mask != nullptr) {
    const std::size_t pixels = static_cast<std::size_t>(area.width) * area.height;
    if (mask_.count() < pixels) mask_ = {pixels, stream_};
    mask_.upload(mask, pixels);
    in.mask = mask_.data();
  }
  Exec exec{stream_, job_.plan.alpha, in, area, job_.plan.analysis_temporaries, cache_};
  job_.filter->analyze_cuda(exec, job_.params.get(), in, area, state);
}

}  // namespace cuda_filters::cuda
