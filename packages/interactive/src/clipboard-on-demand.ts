/** The clipboard, loaded at its first use: a module of its own, because every start imports the rest of @tau/sys. */
export { copyText, osc52Copy, readClipboardImage } from "@tau/sys";
