/** Parses foreign bytes with limits of time, memory and output. */
export { addToArchive, listArchive, readArchiveEntry } from "./archives.ts";
export { queryDatabase } from "./databases.ts";
export { documentText } from "./documents.ts";
export { convertImage, fitImage } from "./images.ts";
export { htmlToMarkdown } from "./pages.ts";
