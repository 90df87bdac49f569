import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gpuarr(CMakePackage, CudaPackage):
    """NumPy for C: arrays on CUDA devices and on the CPU."""

    # This checkout, six folders up.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 6))

    license("MIT")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("lapack", default=True, description="Linear algebra on the CPU, by OpenBLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("zlib-api")
    depends_on("openblas", when="+lapack")
    depends_on("cuda@12:", when="+cuda")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU: cuda_arch=90 or another")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("GPUARR_CUDA", "cuda"),
            self.define_from_variant("GPUARR_LAPACK", "lapack"),
        ]
        if self.spec.satisfies("+cuda"):
            archs = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(archs)))
        return args
