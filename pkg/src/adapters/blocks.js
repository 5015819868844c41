// What blocks are on wires that have other words for them. The transcoders (`src/transcode/blocks.rs`) say the same, so
// that a message is one and the same whether it streamed or was read.

/** An image or a document that a page can load; undefined for any other. */
export function media({ source, title }) {
  const { url, data, media_type, mediaType = media_type } = Object(source);
  if (!mediaType || (url === undefined && data === undefined)) return undefined;
  const file = { type: "file", mediaType, url: url ?? `data:${mediaType};base64,${data}` };
  return title ? { ...file, filename: title } : file;
}

/** True for what has a part of its own in a message of the AI SDK. */
export const isPart = (block) =>
  block.type === "search_result" || ((block.type === "image" || block.type === "document") && media(block) !== undefined);

/** All text, then the names of those other blocks that `named` picks. */
export function textOf(blocks, named = () => true) {
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  const names = blocks.filter((block) => block.type !== "text" && named(block)).map(nameOf);
  return [text, ...names].filter((piece) => piece !== "").join("\n\n");
}

function nameOf(block) {
  switch (block.type) {
    case "image":
      return "[image]";
    case "document":
      return typeof block.title === "string" ? `[document: ${block.title}]` : "[document]";
    case "search_result":
      return `[search result: ${block.title}]`;
    case "redacted":
      return "[redacted]";
    default:
      return "";
  }
}

/** The blocks of a message that the AI SDK or AG-UI made, as the contract has them. */
export function toBlocks(parts) {
  if (typeof parts === "string") return [{ type: "text", text: parts }];
  return parts.flatMap((part) => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const file = part.type === "file" ? part : fileOf(part);
    if (!file) return [];
    const source = file.data === undefined ? { url: file.url, media_type: file.mediaType } : { data: file.data, media_type: file.mediaType };
    if (file.mediaType?.startsWith("image/")) return [{ type: "image", source }];
    return [{ type: "document", source, ...(file.filename && { title: file.filename }) }];
  });
}

/** A piece of input of AG-UI. */
function fileOf({ type, source, url, data, mimeType, filename }) {
  if (type === "binary") return { url, data, mediaType: mimeType, filename };
  if (!source) return undefined;
  const { value, mimeType: mediaType = `${type}/*` } = source;
  return source.type === "data" ? { data: value, mediaType } : { url: value, mediaType };
}
