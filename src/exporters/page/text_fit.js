// Text cut to the room that there is, so that no name leaves its box.

export const kFont = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

export class TextFit {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    /** @type {Map<string, number>} */
    this.widths = new Map();
  }

  /** @param {string} text @returns {number} pixels */
  width(text) {
    let wide = this.widths.get(text);
    if (wide === undefined) {
      this.context.font = kFont;
      this.widths.set(text, wide = this.context.measureText(text.slice(0, 2000)).width);
    }
    return wide;
  }

  /** "" where not even three letters fit. @param {string} text @param {number} room pixels @returns {string} */
  fit(text, room) {
    const wide = this.width(text);
    if (wide <= room) return text.slice(0, 2000);
    const length = Math.min(text.length, 2000);
    for (let keep = Math.floor(length * room / wide); keep >= 3; --keep) {
      const half = /[\ud800-\udbff]/.test(text[keep - 1]) ? 1 : 0;  // no half of a character
      const cut = text.slice(0, keep - half) + "…";
      this.context.font = kFont;
      if (this.context.measureText(cut).width <= room) return cut;
    }
    return "";
  }
}
