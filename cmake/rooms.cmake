# One folder under src/ is one room: one purpose, one target, and an allow-list of rooms that it may include
# (tools/check_layers holds the arrows). Rooms that run inside the profiled process are built a second time with
# the agent's own flags, as an object library, because the agent may use neither libc nor libstdc++ at run time.

set(HEAPTALLY_AGENT_FLAGS
  -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-stack-protector
  -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-plt
  -fno-tree-loop-distribute-patterns -fasynchronous-unwind-tables
  -fno-sanitize=all -U_FORTIFY_SOURCE -O2 -g -mcx16)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(REMOVE_ITEM HEAPTALLY_AGENT_FLAGS -fno-tree-loop-distribute-patterns)
  list(APPEND HEAPTALLY_AGENT_FLAGS -fno-builtin)
endif()

# heaptally_room(NAME [IN_AGENT] [SOURCES f.cc ...] [USES room ...] [LIBS target ...] [TESTS t_test.cc ...])
#   NAME        -> static library heaptally_NAME; alias ht::NAME
#   IN_AGENT    -> also object library heaptally_NAME_agent, with the agent's flags
#   TESTS       -> one GoogleTest program per file, named NAME.<file>, run by ctest
function(heaptally_room name)
  cmake_parse_arguments(ROOM "IN_AGENT" "" "SOURCES;USES;LIBS;TESTS;AGENT_ONLY" ${ARGN})
  if(ROOM_SOURCES)
    add_library(heaptally_${name} STATIC ${ROOM_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(heaptally_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(ht::${name} ALIAS heaptally_${name})
  target_include_directories(heaptally_${name} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  foreach(used ${ROOM_USES})
    target_link_libraries(heaptally_${name} ${scope} ht::${used})
  endforeach()
  if(ROOM_LIBS)
    target_link_libraries(heaptally_${name} ${scope} ${ROOM_LIBS})
  endif()
  if(ROOM_IN_AGENT AND ROOM_SOURCES)
    add_library(heaptally_${name}_agent OBJECT ${ROOM_SOURCES})
    target_include_directories(heaptally_${name}_agent PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(heaptally_${name}_agent PRIVATE ${HEAPTALLY_AGENT_FLAGS})
    target_compile_definitions(heaptally_${name}_agent PRIVATE HEAPTALLY_IN_AGENT=1)
  endif()
  if(HEAPTALLY_TESTS)
    foreach(test ${ROOM_TESTS})
      get_filename_component(stem ${test} NAME_WE)
      add_executable(${name}_${stem} ${test})
      target_link_libraries(${name}_${stem} PRIVATE ht::${name} GTest::gtest_main)
      add_test(NAME ${name}.${stem} COMMAND ${name}_${stem})
      set_tests_properties(${name}.${stem} PROPERTIES LABELS unit)
    endforeach()
  endif()
endfunction()
