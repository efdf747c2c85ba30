// Colours of what is drawn by time: of a palette that is told apart without red and green.
const PALETTE = ["#8fb8de", "#f2b880", "#a8d5a2", "#d7a9d9", "#e8d27a", "#9fd3d6", "#e6a3a3", "#b9b3e0", "#c9c9a3", "#b7c4cf"];

// Names in the order in which they are met.
export class Colors {
  constructor() {
    this.numbers = new Map();
  }

  of(name) {
    if (!this.numbers.has(name)) this.numbers.set(name, this.numbers.size);
    return PALETTE[this.numbers.get(name) % PALETTE.length];
  }
}

// 32-bit FNV-1a: the same name has the same colour in every page.
export function colorOfName(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  return "hsl(" + hash % 360 + " 55% " + (70 + (hash >>> 9) % 12) + "%)";
}
