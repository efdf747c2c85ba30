// What is shown, as the part of an address behind "#": a link keeps the view.

export const DEFAULTS = {
  view: "table", by: "", sort: "", up: "",
  function: "", signature: "", stage: "", thread: "", module: "",
  row: "", color: "", side: "", zoom: "", search: "",
};

// The state that an address asks for; what it does not know is left out.
export function parseState(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const state = {...DEFAULTS};
  for (const key of Object.keys(DEFAULTS))
    if (words.has(key)) state[key] = words.get(key);
  return state;
}

// The shortest address of a state.
export function formatState(state) {
  const words = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS))
    if (state[key] !== DEFAULTS[key]) words.set(key, state[key]);
  return "#" + words.toString();
}

// Holds the state, tells those who asked when it changes, and keeps the address.
export class ViewState {
  constructor(place) {
    this.place = place;
    this.state = parseState(place.location.hash);
    this.listeners = [];
    place.addEventListener("hashchange", () => {
      const state = parseState(place.location.hash);
      if (formatState(state) !== formatState(this.state)) this.take(state);
    });
  }

  get(key) {
    return this.state[key];
  }

  // `step`: going back in the browser undoes the change.
  set(changes, step = false) {
    const state = {...this.state, ...changes};
    if (formatState(state) === formatState(this.state)) return;
    this.place.history[step ? "pushState" : "replaceState"](null, "", formatState(state));
    this.take(state);
  }

  take(state) {
    const before = this.state;
    this.state = state;
    for (const listener of this.listeners) listener(state, before);
  }

  listen(listener) {
    this.listeners.push(listener);
  }
}
