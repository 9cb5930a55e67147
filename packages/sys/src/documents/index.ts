/** Documents as text. */
export {
	documentKind,
	type DocumentKind,
	type DocumentOptions,
	type DocumentRefusal,
	type DocumentText,
} from "./document.ts";
