"""Names of functions, as different tools can agree on them."""

import re
import subprocess

OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|->\*?|<=>|<<=?|>>=?|[<>]=?|(?:new|delete)(?:\[\])?|[^\w\s(<]{1,3})?")
INHERITED_CONSTRUCTOR = re.compile(r"CI[12]")
# A closure's constructor or destructor, which demanglers name after a parameter of the lambda.
OF_CLOSURE = re.compile(r"\{lambda\(.*\)#\d+\}::(~?)(?!operator\b|_FUN\b)\w+(?:\(|$)")


def demangle(mangled):
    """{mangled name: qualified name without parameters and return type}."""
    mangled = sorted(mangled)
    done = subprocess.run(["c++filt", "-p"], input="\n".join(mangled), stdout=subprocess.PIPE, text=True, check=True)
    named = dict(zip(mangled, done.stdout.splitlines()))
    for symbol, name in named.items():
        if INHERITED_CONSTRUCTOR.search(symbol) and "::" in name:
            # c++filt names it after the base class; it is a constructor of the class that it stands in.
            named[symbol] = own = name[:scope_end(name)]
            named[symbol] = f"{own}::{declared_name(own)}"
    return named


def scope_end(name):
    """Where the last `::` outside of brackets stands."""
    depth = end = 0
    for i, character in enumerate(name):
        depth += (character in "<(") - (character in ">)")
        if depth == 0 and name.startswith("::", i):
            end = i
    return end


def declared_name(name):
    """A function's name without scope, template arguments, parameters and return type.

    Conversion operators have one name together: some tools print the type as it was written and others what it is.
    """
    name = name.replace("(anonymous namespace)", "anonymous").replace("[abi:cxx11]", "").replace("<lambda>", "lambda")
    closure = OF_CLOSURE.search(name)
    if closure:
        return closure[1] + "lambda"
    plain, depth, previous = "", 0, ""
    for i, character in enumerate(name):
        operator = OPERATOR.match(name, i) if depth == 0 and not (previous.isalnum() or previous == "_") else None
        if operator:
            return f"operator {operator[1] or 'of conversion'}"
        previous = character
        opened = depth
        depth += (character in "<({") - (character in ">)}")
        if opened == 0 and character == "(" and plain.rstrip()[-8:] != "decltype" and "::" not in after_brackets(name, i):
            break
        if depth == 0 and opened == 0:
            plain += character
    return plain.rsplit("::", 1)[-1].strip().rsplit(" ", 1)[-1]


def after_brackets(name, start):
    """What follows the bracket that opens at `start` and everything in it."""
    depth = 0
    for i in range(start, len(name)):
        depth += (name[i] == "(") - (name[i] == ")")
        if depth == 0:
            return name[i + 1:]
    return ""
