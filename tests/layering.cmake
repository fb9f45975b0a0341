# Test: what the build cannot enforce about includes.
#
#   cmake -DTOP=. -P layering.cmake
#
# No path climbs ("../"). An outside library has one room that includes it, and the floors above the service
# do not see the engine that it opens: the rows below.
cmake_minimum_required(VERSION 3.25)

# library | include | files that may
set(rooms
  "libmicrohttpd|microhttpd\\.h|^server/exchange\\.h$"
  "GnuTLS|gnutls/|^server/tls\\.h$"
  "libsystemd|systemd/|^server/life\\.c$"
  "Jansson|jansson\\.h|^(api/schema|tests)/"
  "liblzf|lzf\\.h|^(api/formats/pcd\\.c$|tests/)"
  "libzip|zip\\.h|^(api/schema|tests)/"
  "libpng|png\\.h|^(api/formats|tests/api)/"
  "libxml2|libxml/|^api/formats/"
  "libyaml|yaml\\.h|^api/formats/"
  "OpenCL|CL/|^engine/device/"
  "curl|curl/|^(client|tests)/"
  "libcrypto|openssl/|^(engine/roadmap/(build/digest|snapshot/snapshot_format)|server/tokens|api/service/fingerprint)\\.c$|^tests/"
  "zlib|zlib\\.h|^(server|tests/server)/"
  "the engine's device layer|device/|^(engine|api/service|tests)/"
  "the engine's primitives|primitives/|^(engine|api/service|tests)/"
  "the engine's roadmaps|roadmap/|^(engine|api/service|tests)/"
)

set(wrong 0)
set(count 0)
foreach(folder kernels engine api server client tests examples)
  file(GLOB_RECURSE files RELATIVE ${TOP} ${TOP}/${folder}/*.[ch] ${TOP}/${folder}/*.cl)
  foreach(file IN LISTS files)
    math(EXPR count "${count} + 1")
    file(STRINGS ${TOP}/${file} includes REGEX "^[ \t]*#[ \t]*include")
    foreach(include IN LISTS includes)
      if(include MATCHES "\\.\\./")
        message("${file}: ${include}: a path that climbs")
        math(EXPR wrong "${wrong} + 1")
      endif()
      foreach(room IN LISTS rooms)
        string(REPLACE "|" ";" room "${room}")
        list(GET room 0 library)
        list(GET room 1 header)
        list(SUBLIST room 2 -1 place)
        list(JOIN place "|" place)
        if(include MATCHES "[<\"]${header}" AND NOT file MATCHES "${place}")
          message("${file}: ${include}: not the room of ${library}")
          math(EXPR wrong "${wrong} + 1")
        endif()
      endforeach()
    endforeach()
  endforeach()
endforeach()

message("${count} files, ${wrong} includes that the architecture forbids")
if(count EQUAL 0 OR wrong GREATER 0)
  message(FATAL_ERROR "failed")
endif()
