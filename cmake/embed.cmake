# cmake "-DFILES=a.json;b.json" -DOUTPUT=bundled.cpp -P embed.cmake
# Writes a source file that holds the text of every one of FILES: gestik/io/bundled.h says how it is read.

list(SORT FILES COMPARE STRING)

set(rows "")
foreach(path IN LISTS FILES)
  cmake_path(GET path STEM name)
  file(READ ${path} text)
  string(APPEND rows "    {\"${name}\", R\"gestik(${text})gestik\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Made by cmake/embed.cmake from characters/.
#include \"gestik/io/bundled.h\"

namespace gestik {
namespace {

constexpr BundledFile files[] = {
${rows}};

}  // namespace

std::span<const BundledFile> bundled_files() noexcept {
  return files;
}

}  // namespace gestik
")
