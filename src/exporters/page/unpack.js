// From the text in the page to the bytes that reader.js reads.
import { inflate } from "./inflate.js";

/** @param {string} text base64 @returns {Uint8Array} */
export function fromBase64(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @param {string} text base64 of gzip @returns {Promise<Uint8Array>} */
export async function unpack(text) {
  const packed = fromBase64(text);
  if (typeof DecompressionStream === "undefined") return inflate(packed);
  const stream = new Blob([/** @type {BlobPart} */ (packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
