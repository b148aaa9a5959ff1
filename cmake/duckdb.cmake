# DuckDB as the target `duckdb`: the library and the header that ./dev put into build/deps/duckdb. The library is
# copied to lib/ of the build folder, and programs look for it in $ORIGIN/../lib: bin/ and lib/ may be moved
# together.
set(duckdb_dir ${CMAKE_SOURCE_DIR}/build/deps/duckdb)
if(NOT EXISTS ${duckdb_dir}/version.txt)
  message(FATAL_ERROR "DuckDB is not there; `./dev build` fetches it to ${duckdb_dir}")
endif()
file(COPY ${duckdb_dir}/libduckdb.so DESTINATION ${CMAKE_BINARY_DIR}/lib)
add_library(duckdb SHARED IMPORTED GLOBAL)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${CMAKE_BINARY_DIR}/lib/libduckdb.so
                      INTERFACE_INCLUDE_DIRECTORIES ${duckdb_dir})
