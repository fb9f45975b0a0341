# Embeds the documents that the OpenAPI document is made of, as C bytes by name.
#
#   cmake -DFOLDER=…/openapi -DOUT=…/openapi_texts.c "-DNAMES=document;common" -P embed.cmake
cmake_minimum_required(VERSION 3.25)

set(texts "")
set(table "")
foreach(name IN LISTS NAMES)
  # as bytes: no limit on the length of a string literal, nothing to escape
  file(READ ${FOLDER}/${name}.json hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND texts "static const unsigned char ${name}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", ${name}, sizeof(${name}) - 1},\n")
endforeach()
list(LENGTH NAMES count)
file(WRITE ${OUT} "/* Generated from api/schema/openapi by embed.cmake. */
#include \"schema/openapi_build.h\"

${texts}
const struct openapi_text openapi_texts[] = {
${table}};
const unsigned openapi_text_count = ${count};
")
