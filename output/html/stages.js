// Stages and queues: the pictures of `callsig stages --plot`, which stand in the page already, and what they are drawn from.
import {element} from "./dom.js";
import {startPicture} from "./plot.js";

export class StagesView {
  constructor(pictures, data) {
    pictures.hidden = false;
    pictures.querySelectorAll("article").forEach((article) => startPicture(article, data));
    this.node = element("section", {class: "view pictures", "aria-label": "stages and queues"}, pictures);
  }

  show() {}
}
