// The tree of who called whom, laid out by time: what icicles and sunbursts draw.

// Nodes stand in preorder: what is below node i are the nodes up to before end[i]. A node's own time comes before its callees'.
export class Tree {
  // `runs`: of how many the times and calls are the sum; the tree has their mean.
  constructor(page, decoded, runs = 1) {
    this.page = page;
    this.frames = decoded.frames;
    this.frame = decoded.frame;
    this.depth = decoded.depth;
    this.calls = decoded.calls.map((calls) => calls / runs);
    this.own = decoded.own.map((own) => own / runs);
    this.leftOut = decoded.leftOut;
    this.count = decoded.depth.length;
    this.layOut();
    this.bestColor = this.chooseColor();
  }

  // What tells more than one colour.
  chooseColor() {
    if (this.frames.some(({function: number}) => number >= 0 && this.page.functions[number].stage)) return "stage";
    return new Set(this.frames.map(({module}) => module).filter(Boolean)).size > 1 ? "module" : "function";
  }

  layOut() {
    const {count, depth, own} = this, open = [];
    this.parent = new Int32Array(count).fill(-1);
    this.end = new Int32Array(count);
    this.start = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) {
      while (open.length > depth[i]) this.end[open.pop()] = i;
      if (open.length > 0) this.parent[i] = open[open.length - 1];
      open.push(i);
      this.start[i + 1] = this.start[i] + own[i];
    }
    while (open.length > 0) this.end[open.pop()] = count;
  }

  // Seconds in a node with all that it called.
  weight(node) {
    return this.start[this.end[node]] - this.start[node];
  }

  name(node) {
    if (node === 0) return "all";
    if (this.frame[node] < 0) return "(" + this.leftOut.get(node) + " smaller ones)";
    return this.frames[this.frame[node]].text;
  }

  functionOf(node) {
    const number = node > 0 && this.frame[node] >= 0 ? this.frames[this.frame[node]].function : -1;
    return number < 0 ? null : this.page.functions[number];
  }

  // As rows are told: see Profile.keyOf().
  key(node) {
    const one = this.functionOf(node);
    if (!one) return "";
    const {signature} = this.frames[this.frame[node]];
    return one.number + (signature >= 0 ? "." + signature : "");
  }

  module(node) {
    return node > 0 && this.frame[node] >= 0 ? this.frames[this.frame[node]].module : null;
  }

  // The stage of the innermost task around a node, itself included; null: none.
  stage(node) {
    for (let at = node; at > 0; at = this.parent[at]) {
      const one = this.functionOf(at);
      if (one && one.stage) return one.stage;
    }
    return null;
  }

  // Where an arrow key leads from `node`, in a picture of what is below `root`; null for other keys. `outward` is the key
  // that leads to the widest callee, `inward` the one back.
  step(node, root, key, outward, inward) {
    const siblings = node === root ? [node] : this.children(this.parent[node]), place = siblings.indexOf(node);
    switch (key) {
      case outward: return this.children(node).sort((a, b) => this.weight(b) - this.weight(a))[0] ?? node;
      case inward: return node === root ? node : this.parent[node];
      case "ArrowRight": return siblings[place + 1] ?? node;
      case "ArrowLeft": return siblings[place - 1] ?? node;
      default: return null;
    }
  }

  ancestors(node) {
    const list = [];
    for (let at = this.parent[node]; at >= 0; at = this.parent[at]) list.unshift(at);
    return list;
  }

  children(node) {
    const list = [];
    for (let i = node + 1; i < this.end[node]; i = this.end[i]) list.push(i);
    return list;
  }

  // The nodes below `root`, itself included, that are at least `least` seconds wide and not deeper than `levels`.
  wide(root, least, levels = Infinity) {
    const list = [];
    for (let i = root; i < this.end[root];) {
      if (i !== root && (this.weight(i) < least || this.depth[i] - this.depth[root] >= levels)) i = this.end[i];
      else list.push(i++);
    }
    return list;
  }

  // By frame, 1 where `accepts` says so of its text; and how many seconds are in such frames, nested ones once.
  search(accepts) {
    const frames = Uint8Array.from(this.frames, (frame) => accepts(frame.text) ? 1 : 0);
    let seconds = 0, nodes = 0;
    for (let i = 1; i < this.count;) {
      if (this.frame[i] >= 0 && frames[this.frame[i]]) {
        seconds += this.weight(i);
        nodes++;
        i = this.end[i];
      } else {
        i++;
      }
    }
    return {frames, seconds, nodes};
  }
}
