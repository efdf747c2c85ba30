// The page of callsig stages --plot: starts its pictures.
import {startPicture} from "./plot.js";

const {pictures} = JSON.parse(document.getElementById("data").textContent);
document.querySelectorAll("article").forEach((article) => startPicture(article, pictures));
