# Makes a C source that holds a file's bytes, and a NUL: cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=SYMBOL -P embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
# Lines end where the file's do, or where statements of a script do that has all in one line.
string(REGEX REPLACE "('\\\\x(0a|3b)',)" "\\1\n  " bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n  ${bytes}0};\n")
