# Makes a C source that holds the Content-Security-Policy of a page, which allows its own parts alone:
#   cmake -DOUTPUT=FILE.c -DNAME=SYMBOL -DSCRIPTS=FILE,FILE -DSTYLES=FILE,FILE -P policy.cmake
# A part stands between its tags byte by byte, so that its digest is that of the file.

# The digest of a file as a policy has it: SHA-256 in base64, which CMake does not write by itself.
function(digest file result)
  set(letters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  file(SHA256 ${file} hex)
  # 32 bytes are ten groups of three and one of two, which a zero fills.
  string(APPEND hex "00")
  set(text "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${hex} ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR number "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${number} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "'sha256-${text}='" PARENT_SCOPE)
endfunction()

foreach(kind SCRIPTS STYLES)
  set(${kind}_allowed "")
  string(REPLACE "," ";" files "${${kind}}")
  foreach(part IN LISTS files)
    file(READ ${part} text)
    if(text MATCHES "</[sS][cCtT]|<!--")
      message(FATAL_ERROR "${part} holds what would end its part of a page")
    endif()
    digest(${part} allowed)
    string(APPEND ${kind}_allowed " ${allowed}")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "extern const char ${NAME}[];
const char ${NAME}[] = \"default-src 'none'; base-uri 'none'; form-action 'none'\"
                               \"; script-src${SCRIPTS_allowed}\"
                               \"; style-src${STYLES_allowed}\";
")
