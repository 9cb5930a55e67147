/** Documents as text. */
export {
	documentKind,
	type DocumentKind,
	type DocumentOptions,
	type DocumentRefusal,
	type DocumentText,
} from "./document.ts";
export { documentText } from "./document-text.ts";
