# cmake "-DFILES=index.html;index.html.gz;..." -DOUTPUT=studio_page.cpp -P embed_page.cmake
# Writes a source file that holds the bytes of every one of FILES, taken in by the assembler: a megabyte as C++
# would take the compiler a minute. tools/gestik/studio_page.h says how it is read.

set(plain ${FILES})
list(FILTER plain EXCLUDE REGEX "[.](gz|br)$")
list(SORT plain COMPARE STRING)

set(count 0)
set(bytes "")
set(names "")
# embed(PATH RESULT): an expression for the bytes of a file, {} where there is none.
function(embed path result)
  if(NOT EXISTS ${path})
    set(${result} "{}" PARENT_SCOPE)
    return()
  endif()
  set(symbol gestik_page_${count})
  string(APPEND bytes "asm(R\"(
  .section .rodata
  .global ${symbol}, ${symbol}_end
${symbol}:
  .incbin \"${path}\"
${symbol}_end:
  .byte 0
  .text
)\");
")
  string(APPEND names "extern const char ${symbol}[], ${symbol}_end[];\n")
  math(EXPR count "${count} + 1")
  foreach(variable bytes names count)
    set(${variable} "${${variable}}" PARENT_SCOPE)
  endforeach()
  set(${result} "between(${symbol}, ${symbol}_end)" PARENT_SCOPE)
endfunction()

set(rows "")
foreach(path IN LISTS plain)
  cmake_path(GET path FILENAME name)
  embed(${path} whole)
  embed(${path}.gz gzip)
  embed(${path}.br brotli)
  string(APPEND rows "      {\"${name}\", ${whole}, ${gzip}, ${brotli}},\n")
endforeach()

file(WRITE ${OUTPUT} "// Made by cmake/embed_page.cmake.
#include \"tools/gestik/studio_page.h\"

${bytes}
extern \"C\" {
${names}}

namespace gestik::tool {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::span<const Asset> studio_page() noexcept {
  static const Asset assets[] = {
${rows}  };
  return assets;
}

}  // namespace gestik::tool
")
