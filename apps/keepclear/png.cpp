// SPDX-License-Identifier: BSD-3-Clause
#include "png.hpp"

#include <png.h>

#include "keepclear/error.hpp"

namespace keepclear::command {

std::string png_of(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  // The interface without setjmp: what goes wrong is told, and nothing is jumped over.
  const auto fail = [&] {
    throw Error(Error::Kind::internal, "", 0, std::string("no PNG: ") + image.message);
  };
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) ==
      0) {
    fail();
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace keepclear::command
