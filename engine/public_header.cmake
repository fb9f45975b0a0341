# Makes one header of the engine a public one: its own includes become "prm/…", so that users need one
# include path, and its declarations are C for C++ as well.
#
#   cmake -DIN=engine/primitives/scan.h -DOUT=build/include/prm/primitives/scan.h -P public_header.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${IN} text)
string(REGEX REPLACE "(#[ \t]*include[ \t]+\")([^\"\n]+\")" "\\1prm/\\2" text "${text}")

# the language goes around the declarations: behind the last include, before the guard's end
string(FIND "${text}" "#include" include REVERSE)
if(include EQUAL -1)
  string(REGEX MATCH "#define [A-Z_]+_H\n" guard "${text}")
  string(FIND "${text}" "${guard}" include)
endif()
string(SUBSTRING "${text}" 0 ${include} head)
string(SUBSTRING "${text}" ${include} -1 rest)
string(FIND "${rest}" "\n" line)
math(EXPR line "${line} + 1")
string(SUBSTRING "${rest}" 0 ${line} last)
string(SUBSTRING "${rest}" ${line} -1 rest)
string(FIND "${rest}" "#endif" end REVERSE)
string(SUBSTRING "${rest}" 0 ${end} body)
string(SUBSTRING "${rest}" ${end} -1 tail)
file(WRITE ${OUT} "${head}${last}
#ifdef __cplusplus
extern \"C\" {
#endif
${body}#ifdef __cplusplus
}
#endif

${tail}")
