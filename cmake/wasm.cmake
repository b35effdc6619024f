# Toolchain for WebAssembly: Debian's clang 19 with wasi-libc and libc++ (scripts/setup studio installs them). A
# reactor: no main, a page or Node calls what bindings/wasm/gestik_wasm.h exports.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Headers of other libraries are the machine's own: only those without code are used.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# The kernel of poise works on vectors: without SIMD every lane would be a number of its own.
set(CMAKE_CXX_FLAGS_INIT "-fno-exceptions -fno-rtti -msimd128")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-mexec-model=reactor -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=1048576")
