// Short words for the document. Text is only ever set as text, so that no name is read as markup.

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error("the page has no " + id);
  return found;
}

/** @param {string} tag @param {string} [text] @param {string} [className] @returns {HTMLElement} */
export function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** @param {string} text @param {() => void} act @param {string} [className] @returns {HTMLButtonElement} */
export function button(text, act, className) {
  const made = /** @type {HTMLButtonElement} */ (element("button", text, className));
  made.type = "button";
  made.onclick = act;
  return made;
}
