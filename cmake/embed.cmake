# Makes a C source that holds a file's bytes, and a NUL: cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=SYMBOL -P embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPLACE "0x0a," "0x0a,\n  " bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n  ${bytes}0x00};\n")
