"""Conan 2: conan create packages/conan [-o "&:cuda=True"], of this checkout."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Gpuarr(ConanFile):
    name = "gpuarr"
    description = "NumPy for C, on CUDA devices and on the CPU"
    license = "MIT"
    topics = ("arrays", "cuda", "numpy", "linear-algebra")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    # lapack: the OpenBLAS that CMake finds on this machine; zlib is Conan's.
    options = {"shared": [True, False], "fPIC": [True, False], "cuda": [True, False],
               "lapack": [True, False], "zlib": [True, False]}
    default_options = {"shared": False, "fPIC": True, "cuda": False, "lapack": False,
                       "zlib": False}
    implements = ["auto_shared_fpic"]

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._checkout, "gpuarr.h"))
        self.version = ".".join(re.findall(r"^#define GA_VERSION_[A-Z]+ (\d+)$", header, re.M))

    def export_sources(self):
        for pattern in ("gpuarr.h", "kernels.cu", "CMakeLists.txt", "ext/*", "packages/*.c",
                        "packages/*.in", "docs/*", "*.md", "LICENSE"):
            copy(self, pattern, self._checkout, self.export_sources_folder)

    def requirements(self):
        if self.options.zlib:
            self.requires("zlib/[>=1.2.11 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GPUARR_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.cache_variables["GPUARR_LAPACK"] = "ON" if self.options.lapack else "OFF"
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_ZLIB"] = not self.options.zlib
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The library's own gpuarrConfig.cmake, which knows what it was built with.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "gpuarr"))
        self.cpp_info.libs = ["gpuarr"]
        self.cpp_info.system_libs = ["pthread", "m"]
        if not self.options.cuda:
            self.cpp_info.defines = ["GPUARR_NO_CUDA"]
        if not self.options.shared:
            self.cpp_info.exelinkflags = self.cpp_info.sharedlinkflags = ["-fopenmp"]
