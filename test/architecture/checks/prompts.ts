/** Prompts for models are .md files, never code. */
import { limits } from "../limits.ts";
import { isProduct } from "../paths.ts";
import { tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";
import type { Token } from "../tokens.ts";

/** Concatenated string literals count as one text; `index` is the position of the first one. */
type Literal = { text: string; line: number; index: number };

const promptName = /prompt|instructions/i;
const remedy = `move it to a .md file and import it with { type: "text" }`;

export async function prompts(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isProduct);
	return files.flatMap(({ path, text }) =>
		scan(tokenize(text)).map(({ line, message }) => ({ file: path, line, message: `${message}; ${remedy}` })),
	);
}

function scan(all: Token[]): { line: number; message: string }[] {
	const tokens = all.filter((token) => token.kind !== "comment");
	const inHoles = tokens.flatMap((token) => scan(token.holes ?? []));
	const here = literals(tokens).flatMap(({ text, line, index }) => {
		const name = nameBefore(tokens, index);
		if (name && text.length > limits.namedPromptChars) {
			return [{ line, message: `"${name}" holds ${text.length} characters of text in code` }];
		}
		return isLongProse(text) ? [{ line, message: `${text.length} characters of prose in code` }] : [];
	});
	return [...here, ...inHoles];
}

function literals(tokens: Token[]): Literal[] {
	const found: Literal[] = [];
	let open: Literal | undefined;
	for (const [index, token] of tokens.entries()) {
		if (isText(token)) {
			const joined = open !== undefined && tokens[index - 1]?.text === "+";
			if (joined && open) open.text += token.text;
			else found.push((open = { text: token.text, line: token.line, index }));
		} else if (!(token.text === "+" && isText(tokens[index - 1]))) open = undefined;
	}
	return found;
}

function isText(token: Token | undefined): boolean {
	return token?.kind === "string" || token?.kind === "template";
}

/** The name that the literal is assigned to: `name: "…"`, `name = "…"` or `name: Type = "…"`. */
function nameBefore(tokens: Token[], index: number): string | undefined {
	const sign = tokens[index - 1];
	if (sign?.kind !== "punct" || (sign.text !== ":" && sign.text !== "=")) return undefined;
	for (let at = index - 2; at >= Math.max(0, index - 2 - limits.annotationTokens); at--) {
		const token = tokens[at];
		if (token?.kind === "punct" && ";(){},=?".includes(token.text)) return undefined;
		if ((token?.kind === "name" || token?.kind === "string") && promptName.test(token.text))
			return token.text;
		if (sign.text === ":") return undefined;
	}
	return undefined;
}

function isLongProse(text: string): boolean {
	const plain = text
		.replace(/\\[nt]/g, " ")
		.replace(/\s+/g, " ")
		.trim();
	const words = plain.split(" ").filter((word) => /\p{L}{2}/u.test(word)).length;
	const letters = plain.match(/[\p{L} ]/gu)?.length ?? 0;
	if (letters < plain.length * limits.proseLetterShare) return false;
	if (words * limits.proseCharsPerWord < plain.length) return false;
	return words > limits.proseWords || plain.length > limits.proseChars;
}
