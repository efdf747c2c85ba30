"""Names of functions, as different tools can agree on them."""

import re


def declared_name(name):
    """A function's name as gdb and callsig both have it: without scope, template arguments, parameters and return type."""
    name = name.replace("(anonymous namespace)", "anonymous").replace("[abi:cxx11]", "")
    operator = re.search(r"\boperator\s*(\(\)|\[\]|->\*?|<=>|<<=?|>>=?|[<>]=?|\W{1,3}(?=[(<]|$)|.*?(?=\(|$))", name)
    if operator:
        return operator[0].replace(" ", "")
    plain, depth = "", 0
    for character in name:
        if character == "(" and depth == 0:
            break
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            plain += character
    return plain.rsplit("::", 1)[-1].strip().rsplit(" ", 1)[-1]
