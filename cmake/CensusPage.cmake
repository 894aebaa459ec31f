# Makes the C file that holds a page: cmake -DOUTPUT=page.c -DSYMBOL=pieces -DDIRECTORY=html -DPAGE=page.html
#   -DSTYLES="style.css" -DSCRIPTS="a.js;b.js" -P CensusPage.cmake
#
# The page has four places: @STYLE@ and @SCRIPT@ take the files, @STYLE_HASH@ and @SCRIPT_HASH@ what a browser is to
# find when it hashes them; at @CONNECT@ and @DATA@ the page is cut. Only the files' bytes decide on the result.
cmake_minimum_required(VERSION 3.18)

# What a file says, without what CMake could misread: it is only joined and replaced as a whole.
file(READ ${DIRECTORY}/${PAGE} page)
set(style "")
foreach(name IN LISTS STYLES)
  file(READ ${DIRECTORY}/${name} text)
  string(APPEND style "${text}")
endforeach()
set(script "")
foreach(name IN LISTS SCRIPTS)
  file(READ ${DIRECTORY}/${name} text)
  string(APPEND script "${text}")
endforeach()

# base64_of(OUT HEX): the bytes that HEX stands for, three digits of it as two of base64.
function(base64_of out hex)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(result "")
  string(APPEND hex "00") # 64 digits are 21 threes and one
  foreach(at RANGE 0 63 3)
    string(SUBSTRING "${hex}" ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING "${digits}" ${high} 1 first)
    string(SUBSTRING "${digits}" ${low} 1 second)
    string(APPEND result "${first}${second}")
  endforeach()
  string(SUBSTRING "${result}" 0 43 result)
  set(${out} "${result}=" PARENT_SCOPE)
endfunction()

foreach(part style script)
  string(SHA256 hash "${${part}}")
  base64_of(${part}_hash "${hash}")
endforeach()
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")

# put_piece(TEXT): the bytes of one piece as an array.
set(c "/* Made by the build from render/html. */\n#include \"html/html_profile.h\"\n")
set(rows "")
set(n_pieces 0)
function(put_piece text)
  string(HEX "${text}" hex)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(c "${c}\nstatic const unsigned char piece_${n_pieces}[] = {\n${hex}};\n" PARENT_SCOPE)
  set(rows "${rows}    {piece_${n_pieces}, sizeof piece_${n_pieces}},\n" PARENT_SCOPE)
  math(EXPR n "${n_pieces} + 1")
  set(n_pieces ${n} PARENT_SCOPE)
endfunction()

foreach(place @CONNECT@ @DATA@)
  string(FIND "${page}" "${place}" at)
  if(at LESS 0)
    message(FATAL_ERROR "${PAGE} has no ${place}")
  endif()
  string(SUBSTRING "${page}" 0 ${at} before)
  string(LENGTH "${place}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${page}" ${at} -1 page)
  put_piece("${before}")
endforeach()
put_piece("${page}")
file(WRITE ${OUTPUT} "${c}\nconst hpr__html_piece ${SYMBOL}[] = {\n${rows}};\n")
