# An overlay port of this checkout: vcpkg install gpuarr --overlay-ports=packages/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# A C interface: programs that are debugged link the same library.
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES cuda GPUARR_CUDA)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
                      OPTIONS ${features} -DGPUARR_LAPACK=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gpuarr)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
