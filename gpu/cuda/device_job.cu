// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/executor_concept.hpp"
#include "gpu/cuda/device_job.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {

static_assert(Executor<Exec>);
namespace {

/// What the stream did with the buffer before, it has done then.
template <class T>
const T* uploaded(Buffer<T>& buffer, const std::vector<T>& values, cudaStream_t stream) {
  if (buffer.count() < values.size()) buffer = Buffer<T>{values.size(), stream};
  buffer.upload(values.data(), values.size());
  return buffer.data();
}

}  // namespace

DevicePicture::DevicePicture(const StoredPicture& picture, Alpha alpha, cudaStream_t stream)
    : picture_{picture}, alpha_{alpha}, stream_{stream} {
  const auto& [encoding, store] = picture_;
  if (!store.stays) rows_ = {store.slots * store.slot_bytes, stream};
  if (store.image_rows > 0) all_rows_ = buffer_or_none(store.image_rows * store.slot_bytes, stream);
  curves_.decoding = terms_of(encoding.transfer);
  curves_.encoding = terms_of(inverse(encoding.transfer));
  curves_.transfers = encoding.transfer.kind != Transfer::Kind::none;
  for (int c = 0; c < 3; ++c) {
    const Curve* curve = encoding.curves[c].get();
    if (curve == nullptr) continue;
    if (c > 0 && curve == encoding.curves[0].get()) {
      curves_.values[c] = curves_.values[0];
      curves_.thresholds[c] = curves_.thresholds[0];
      curves_.buckets[c] = curves_.buckets[0];
      continue;
    }
    curves_.values[c] = uploaded(values_[c], curve->values, stream);
    curves_.thresholds[c] = uploaded(thresholds_[c], curve->thresholds, stream);
    curves_.buckets[c] = uploaded(buckets_[c], curve->buckets, stream);
  }
  if (encoding.curves[0] != nullptr) follow_formula();
}

void DevicePicture::follow_formula() {
  const auto& curves = picture_.encoding.curves;
  const Transfer formula = curves[0]->formula;
  curves_.encoding = terms_of(inverse(formula));
  const float exponent = curves_.encoding.exponent;
  if (formula.kind == Transfer::Kind::none || exponent < 0.25f || exponent > 8.0f) return;
  double deviation = 0.0;
  for (const auto& curve : curves) {
    if (curve->formula != formula) return;
    deviation = std::max(deviation, curve->deviation);
  }
  // Beside that, what a GPU's own functions and floats are off; the logarithm's error counts as
  // many times as the exponent says.
  const double own = 1e-6 * code_count(picture_.encoding.format.type) * std::max(1.0f, exponent);
  curves_.margin = static_cast<float>(deviation + own);
}

StoredPicture DevicePicture::on_device() const {
  StoredPicture picture = picture_;
  picture.store.rows = rows_.data(), picture.store.stays = true, picture.store.image_rows = 0;
  return picture;
}

void DevicePicture::upload(const std::vector<RowSlots::RowSpan>& runs, cudaStream_t stream) {
  const RowStore& store = picture_.store;
  for (const RowSlots::RowSpan& run : runs) {
    std::byte* const slots = rows_.data() + run.slot * store.slot_bytes;
    const std::size_t bytes = run.count * store.slot_bytes;
    check(cudaMemcpyAsync(slots, store.rows_of(run), bytes, cudaMemcpyHostToDevice, stream));
    if (all_rows_.data() == nullptr) continue;
    check(cudaMemcpyAsync(all_rows_.data() + run.row * store.slot_bytes, slots, bytes,
                          cudaMemcpyDeviceToDevice, stream));
    if (run.row <= copied_rows_) copied_rows_ = std::max(copied_rows_, run.row + run.count);
  }
}

std::byte* DevicePicture::release_rows() noexcept {
  if (picture_.store.image_rows == 0) return rows_.release();
  return copied_rows_ >= picture_.store.image_rows ? all_rows_.release() : nullptr;
}

void DevicePicture::look_up(const Lookup& lookup) {
  uploaded(row_table_, lookup.rows, stream_);
  straight_rows_ = longest_straight_run(lookup.rows);
  if (columns_ != lookup.columns) {
    columns_ = lookup.columns;
    uploaded(column_table_, columns_, stream_);
    straight_columns_ = longest_straight_run(columns_);
  }
  area_ = lookup.area;
  image_ = {0, 0, lookup.image.width, lookup.image.height};
}

Input DevicePicture::input() const {
  const RowStore& store = picture_.store;
  return {.store = store.stays ? store.rows : rows_.data(),
          .slot_bytes = store.slot_bytes,
          .slots = store.slots,
          .rows = {row_table_.data(), straight_rows_},
          .columns = {column_table_.data(), straight_columns_},
          .area = area_,
          .image = image_,
          .mask = nullptr,
          .format = picture_.encoding.format,
          .alpha = alpha_,
          .curves = curves_};
}

DeviceJob::DeviceJob(const ResolvedJob& job, const RunPictures& pictures, cudaStream_t stream)
    : job_{job},
      filter_{instances().of(*job.filter)},
      pictures_{pictures},
      stream_{stream},
      in_{pictures.in, job.plan.alpha, stream} {
  if (pictures.aux) aux_.emplace(*pictures.aux, job.plan.alpha, stream);
}

RunPictures DeviceJob::on_device() const {
  RunPictures pictures = pictures_;
  pictures.in = in_.on_device();
  if (aux_) pictures.aux = aux_->on_device();
  return pictures;
}

void DeviceJob::upload(const Band& band, cudaStream_t stream) {
  in_.upload(band.in.fresh, stream);
  if (aux_) aux_->upload(band.aux.fresh, stream);
}

void DeviceJob::look_up(const Band& band) {
  in_.look_up(band.in.lookup);
  if (looks_at_aux(band.analysis != nullptr)) aux_->look_up(band.aux.lookup);
}

void DeviceJob::compute(Rect out, std::byte* result, const void* state) {
  const Plan& plan = job_.plan;
  const Input in = in_.input();
  Exec exec{stream_, plan.alpha, in, out, plan.temporaries, cache_};
  const auto [width, height] = job_.output;
  // Of another number type, the output has the image's own numbers.
  const bool same = pictures_.out.format.type == pictures_.in.encoding.format.type;
  Output output{.codes = result,
                .area = out,
                .original = in,
                .format = pictures_.out.format,
                .curves = same ? in_.curves() : DeviceCurves{},
                .image = {0, 0, width, height},
                .resized = job_.output != in.image.size()};
  if (output.resized && in.alpha == Alpha::passthrough) output.original.alpha = Alpha::channel;
  with_aux(exec, out, false, [&](const Input* aux) {
    filter_.apply(exec, job_.params.get(), in, aux, output, state);
  });
}

bool DeviceJob::looks_at_aux(bool analyzes) const {
  return aux_.has_value() && analyzes == job_.plan.analyzes_aux;
}

template <class Compute>
void DeviceJob::with_aux(Exec& exec, Rect area, bool analyzes, Compute compute) {
  if (!looks_at_aux(analyzes)) return compute(nullptr);
  // For the filter the second picture is one of working pixels, whatever it is stored as.
  const Temporary aux{stream_, area.grown(job_.plan.aux_halo), in_.input()};
  exec.decode(aux_->input(), aux);
  compute(&static_cast<const Input&>(aux));
}

void DeviceJob::analyze(Rect area, Rect analysis_area, const std::uint8_t* mask, void* state) {
  Input in = in_.input();
  if (mask != nullptr) {
    const std::size_t pixels = static_cast<std::size_t>(area.width) * area.height;
    if (mask_.count() < pixels) mask_ = {pixels, stream_};
    mask_.upload(mask, pixels);
    in.mask = mask_.data();
  }
  Exec exec{stream_, job_.plan.alpha, in, area, job_.plan.analysis_temporaries,
            cache_,  analysis_area};
  with_aux(exec, area, true, [&](const Input* aux) {
    filter_.analyze(exec, job_.params.get(), in, aux, area, state);
  });
}

}  // namespace cuda_filters::cuda
