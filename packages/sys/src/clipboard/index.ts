/** The clipboard. */
export {
	copyText,
	readClipboardImage,
	readClipboardText,
	type ClipboardOptions,
	type ClipboardRefusal,
} from "./clipboard.ts";
export { clipboardAdvice, clipboardPrograms } from "./programs.ts";
export { osc52Copy } from "./osc52.ts";
