# The flags every target of ours gets, as the interface library `fuselane_flags`. Third-party sources
# (GoogleTest) get only the language, the standard library and the sanitizers, which all objects of one
# program must share.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(FUSELANE_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(FUSELANE_THREADS "Build the wasm core for shared memory" ON)

add_library(fuselane_flags INTERFACE)
target_include_directories(fuselane_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(fuselane_flags INTERFACE
  -Wall -Wextra -Werror
  -Wcovered-switch-default   # a switch over a closed set lists every case: the compiler finds a new one
  -Wextra-semi
  -Wimplicit-fallthrough
  -Wnon-virtual-dtor
  -Wshadow
  -Wshorten-64-to-32         # size_t has 32 bits in wasm: an int64 extent is checked before it becomes one
  -Wunused-member-function)

if(EMSCRIPTEN)
  add_compile_options(-msimd128 -fwasm-exceptions)
  add_link_options(-fwasm-exceptions)
  if(FUSELANE_THREADS)
    add_compile_options(-pthread)
    add_link_options(-pthread)
  endif()
else()
  add_compile_options(-stdlib=libc++)
  add_link_options(-stdlib=libc++ -fuse-ld=lld)
  if(FUSELANE_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
    add_compile_options(${sanitizers} -fno-omit-frame-pointer)
    add_compile_definitions(_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE)
    add_link_options(${sanitizers})
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)  # paths are relative to the clone, so that several clones share what is compiled
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${CCACHE}")
endif()
