// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Takes the place of libFuzzer where there is none: calls the target once with each file of the
// folders, and -runs=N: with so many inputs that it draws, always the same.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

/// For targets that draw inputs, which nobody wants changed here.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}
/// Not every target draws some.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                             std::size_t max_size, unsigned seed);

namespace {

void call(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

void draw(unsigned count) {
  constexpr std::size_t max_size = 4096;
  std::string input(max_size, '\0');
  for (unsigned seed = 1; seed <= count; ++seed) {
    auto* const data = reinterpret_cast<std::uint8_t*>(input.data());
    const std::size_t size = LLVMFuzzerCustomMutator(data, 0, max_size, seed);
    std::cout << input.substr(0, size) << std::flush;
    call(input.substr(0, size));
  }
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("-runs="))
      draw(LLVMFuzzerCustomMutator != nullptr ? std::strtoul(words[i] + 6, nullptr, 10) : 0);
    else
      for (const auto& entry : std::filesystem::directory_iterator{words[i]})
        files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::cout << file.string() << std::endl;
    std::ifstream stream{file, std::ios::binary};
    call({std::istreambuf_iterator<char>{stream}, {}});
  }
}
