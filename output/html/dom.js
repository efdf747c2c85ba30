// Elements, made of names, attributes and texts. Nothing here reads markup: what a text holds is never more than a text.
import {visible} from "./format.js";

// Attributes that begin with "on" are listeners; null leaves one out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A name that a program made, which must not turn around what stands beside it.
export function named(text, attributes = {}) {
  return element("bdi", attributes, visible(text));
}

// Tells how wide texts are in the font of an element that is shown. Letters of ASCII are alike in the fonts that it is for.
export function ruler(node) {
  const {fontStyle, fontWeight, fontSize, fontFamily} = getComputedStyle(node), context = document.createElement("canvas").getContext("2d");
  context.font = [fontStyle, fontWeight, fontSize, fontFamily].join(" ");
  const letter = context.measureText("0".repeat(100)).width / 100;
  return (text) => /^[\x20-\x7e…]*$/.test(text) ? text.length * letter : context.measureText(text).width;
}

export function replaceContents(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== null));
}
