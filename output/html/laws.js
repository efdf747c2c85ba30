// Numbers of arguments, and the laws of a function's time that `callsig scaling` found in them.

import {byteLength} from "./expression.js";

// The value as one number: of a range its geometric middle; NaN for what is none.
export function numberOf(value) {
  if (value.kind === "float") return value.number;
  if (value.kind !== "range" || !Number.isFinite(Number(value.low)) || !Number.isFinite(Number(value.high))) return NaN;
  const low = Number(value.low), high = Number(value.high);
  if (low === high) return low;
  return low >= 1 && high >= 1 ? Math.sqrt(low) * Math.sqrt(high) : low < 0 ? low : Math.sqrt(high);
}

// Every element, and the product of three and more.
function addList(numbers, name, {list, isCut}) {
  list.forEach((one, place) => numbers.set(name + "[" + place + "]", Number(one)));
  if (list.length > 2 && !isCut) numbers.set("product(" + name + ")", list.reduce((product, one) => product * Number(one), 1));
}

// By name, as scaling has them ("n", "t.shape[0]"), the numbers that the arguments of a signature are.
export function numbersOf(signature) {
  const numbers = new Map(), {layout, values} = signature;
  const add = (from, to, before) => {
    for (let i = from; i < to; i += 1 + layout[i].children) {
      const name = before + layout[i].name, value = values[i];
      if (value.kind === "list") addList(numbers, name, value);
      else if (value.kind === "string" && !value.isCut) numbers.set("len(" + name + ")", byteLength(value.text));
      else if (!Number.isNaN(numberOf(value))) numbers.set(name, numberOf(value));
      if (layout[i].isGroup) add(i + 1, i + 1 + layout[i].children, name + ".");
    }
  };
  if (values) add(0, layout.length, "");
  return numbers;
}

// How many times as long a step of the law's first term takes there: data leave a cache as the product of its arguments grows.
function stepOf(law, numbers) {
  if (!law.step) return 1;
  const size = argumentsOf(law).reduce((product, argument) => product * (numbers.get(argument) ?? NaN), 1);
  const {from, to, factor} = law.step;
  return 1 + (factor - 1) * Math.min(1, Math.max(0, Math.log(size / from) / Math.log(to / from)));
}

// The logarithm of a law: 0 below 1, as a call with nothing to do has none.
function logarithm(value) {
  return Number.isNaN(value) ? NaN : Math.log2(Math.max(value, 1));
}

// The seconds that a law has for these numbers; NaN where it needs others.
export function timeByLaw(law, numbers) {
  return law.terms.reduce((sum, {coefficient, factors}, term) => sum + factors.reduce((product, {argument, power, log}) => {
    const value = numbers.get(argument) ?? NaN;
    return product * value ** power * (log > 0 ? logarithm(value) ** log : 1);
  }, coefficient * (term === 0 ? stepOf(law, numbers) : 1)), law.constant);
}

// The arguments that a law is made of.
export function argumentsOf(law) {
  return [...new Set(law.terms.flatMap(({factors}) => factors.map(({argument}) => argument)))];
}

// The findings of one function.
export function lawsOf(laws, one) {
  return laws ? laws.functions.filter(({file, line, function: name}) => file === one.file && line === one.line && name === one.name) : [];
}
