"""How the drivers of real programs begin: the options that all of them take, and what they are asked to run."""

import argparse

import build
from product import Product


class Driver:
    """`options` as parsed, the `product`, the `builder` of programs, and `chosen`: pairs of a program's name and a variant.

    `quick` and `full` are the variants of each program, by its name, that --quick and --full choose; `extra` are options of the
    driver's own, each a name and what argparse takes with it."""

    def __init__(self, doc, quick, full, *extra):
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        build.add_arguments(parser)
        parser.add_argument("--build", required=True, help="build folder of callsig")
        for name, settings in extra:
            parser.add_argument(name, **settings)
        parser.add_argument("--quick", action="store_true")
        parser.add_argument("--full", action="store_true")
        parser.add_argument("program", nargs="?")
        parser.add_argument("variant", nargs="*")
        self.options = parser.parse_args()
        self.product = Product(self.options.build, self.options.out)
        self.builder = build.Builder(self.options.sources, self.options.out, self.options.callsig or self.product.libraries,
                                     self.options.plugins or self.product.plugins)
        variants = quick if self.options.quick else full if self.options.full else {}
        program = self.options.program
        if program:
            variants = {program: self.options.variant or variants.get(program) or full[program]}
        self.chosen = [(name, variant) for name, these in variants.items() for variant in these]


HOOKS = ("--hooks", {"required": True, "help": "count_hooks.c, compiled as a shared object"})
