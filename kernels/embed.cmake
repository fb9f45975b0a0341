# Embeds one device program: flattens its #includes, each header once, with #line markers that keep
# diagnostics true, and writes the result as C bytes.
#
#   cmake -DSTEM=scan -DFOLDER=…/kernels -DFLAT=…/scan.cl -DOUT=…/scan.c -DDEPFILE=…/scan.d -P embed.cmake
#
# Text is handled as whole strings, never as CMake lists: kernel code is full of ; and [ ].
cmake_minimum_required(VERSION 3.25)

set(seen "")
set(flat "")

# Appends FILE to `flat`, with its includes in place of their lines.
function(flatten file)
  if(NOT EXISTS ${FOLDER}/${file})
    message(FATAL_ERROR "kernels: ${file} does not exist")
  endif()
  list(APPEND seen ${file})
  file(READ ${FOLDER}/${file} rest)
  set(line 1)
  string(APPEND flat "#line 1 \"kernels/${file}\"\n")

  string(REGEX MATCH "(^|\n)[ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"[^\n]*" found "${rest}")
  while(NOT found STREQUAL "")
    set(header "${CMAKE_MATCH_2}")
    string(REGEX REPLACE "^kernels/" "" header "${header}")

    # what comes before the include, and the line it stands on
    string(FIND "${rest}" "${found}" at)
    string(SUBSTRING "${rest}" 0 ${at} before)
    if(found MATCHES "^\n")
      string(APPEND before "\n")
    endif()
    string(APPEND flat "${before}")
    string(REGEX MATCHALL "\n" newlines "${before}")
    list(LENGTH newlines count)
    math(EXPR line "${line} + ${count}")

    if(NOT header IN_LIST seen)
      flatten(${header})
    endif()
    string(APPEND flat "#line ${line} \"kernels/${file}\"")

    # go on behind the include, leaving its line empty; the marker's own newline is not of the file
    string(LENGTH "${found}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(PREPEND rest "\n")
    math(EXPR line "${line} - 1")
    string(REGEX MATCH "(^|\n)[ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"[^\n]*" found "${rest}")
  endwhile()

  string(APPEND flat "${rest}")
  if(NOT flat MATCHES "\n$")
    string(APPEND flat "\n")
  endif()
  set(flat "${flat}" PARENT_SCOPE)
  set(seen "${seen}" PARENT_SCOPE)
endfunction()

flatten(${STEM}.cl)
file(WRITE ${FLAT} "${flat}")

# the same text as bytes: no limit on the length of a string literal, nothing to escape
file(READ ${FLAT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "/* Generated from kernels/${STEM}.cl by embed.cmake. */
#include \"kernels/embedded.h\"

extern const unsigned char prm_kernel_text_${STEM}[];
extern const size_t prm_kernel_bytes_${STEM};

const unsigned char prm_kernel_text_${STEM}[] = {
${bytes}0};
const size_t prm_kernel_bytes_${STEM} = sizeof(prm_kernel_text_${STEM}) - 1;
")

# every file that went in
string(REPLACE ";" " ${FOLDER}/" files "${seen}")
file(WRITE ${DEPFILE} "${OUT}: ${FOLDER}/${files}\n")
