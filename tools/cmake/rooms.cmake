# Reads src/layers.txt, a line a room: `name kind rooms-it-may-include…`, lower rooms first, `#` starts a
# comment, `all` stands for every room above. Makes one static library per room (its name is the room's),
# linked to the rooms it may include. A room without sources is left out, so that the table can be complete
# before the code is. FUSELANE_ROOMS lists the rooms that were made.

function(fuselane_add_rooms)
  set(table "${CMAKE_SOURCE_DIR}/src/layers.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
  file(STRINGS "${table}" lines)
  set(rooms)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#.*" "" line "${line}")
    string(REGEX MATCHALL "[^ \t]+" words "${line}")
    list(LENGTH words count)
    if(count LESS 2)
      continue()
    endif()
    list(POP_FRONT words room kind)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${room}/*.cc")
    if(NOT sources)
      continue()
    endif()
    add_library(${room} STATIC ${sources})
    target_link_libraries(${room} PUBLIC fuselane_flags)
    if(EMSCRIPTEN AND NOT room STREQUAL "library")
      target_compile_options(${room} PRIVATE -Oz)   # pages download it; time is spent in the library's kernels
    elseif(EMSCRIPTEN)
      # Kernels are vectors where it matters; the compiler's own would be in loops that do not.
      target_compile_options(${room} PRIVATE -fno-vectorize -fno-slp-vectorize)
      # Loops over rows are written with SIMD intrinsics: unrolling them once more was 22 kB of the core, and
      # what it gained (up to a fifth on erf and sigmoid, nothing elsewhere) was within the noise.
      set_source_files_properties(src/library/activation.cc src/library/cast.cc src/library/elementwise.cc
        src/library/reduce.cc src/library/softmax.cc PROPERTIES COMPILE_OPTIONS "-O2;-fno-unroll-loops")
    endif()
    if(EMSCRIPTEN AND NOT room STREQUAL "base")  # base has the guard: docs/decisions/0004-no-landing-pads.md
      target_compile_options(${room} PRIVATE -fno-exceptions -fno-rtti)
    endif()
    if(words STREQUAL "all")
      set(words ${rooms})
    endif()
    foreach(lower IN LISTS words)
      if(lower IN_LIST rooms)
        target_link_libraries(${room} PUBLIC ${lower})
      endif()
    endforeach()
    list(APPEND rooms ${room})
  endforeach()
  set(FUSELANE_ROOMS ${rooms} PARENT_SCOPE)
endfunction()
