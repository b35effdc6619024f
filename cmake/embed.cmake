# cmake "-DCHARACTERS=a.json;b.json" "-DBEHAVIOURS=c.json" -DOUTPUT=bundled.cpp -P embed.cmake
# Writes a source file that holds the text of all these files: gestik/io/bundled.h says how it is read.

# rows(OUT FILES...): the initialisers of one array.
function(rows out)
  set(result "")
  list(SORT ARGN COMPARE STRING)
  foreach(path IN LISTS ARGN)
    cmake_path(GET path STEM name)
    file(READ ${path} text)
    string(APPEND result "    {\"${name}\", R\"gestik(${text})gestik\"},\n")
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

rows(characters ${CHARACTERS})
rows(behaviours ${BEHAVIOURS})

file(WRITE ${OUTPUT} "// Made by cmake/embed.cmake from characters/ and behaviours/.
#include \"gestik/io/bundled.h\"

namespace gestik {
namespace {

constexpr BundledFile files[] = {
${characters}};

constexpr BundledFile behaviours[] = {
${behaviours}};

}  // namespace

std::span<const BundledFile> bundled_files() noexcept {
  return files;
}

std::span<const BundledFile> bundled_behaviours() noexcept {
  return behaviours;
}

}  // namespace gestik
")
