/** Finds the repeated keys of a YAML text. Loaded only if there seem to be some: the parser is slow. */
import { LineCounter, parseDocument } from "yaml";

export function repeatedKeys(text: string): { key: string; line: number }[] {
	const lines = new LineCounter();
	const { errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	return errors
		.filter(({ code }) => code === "DUPLICATE_KEY")
		.map(({ pos }) => ({
			key: /^["']?([^"':\n]*)/.exec(text.slice(pos[0]))?.[1]?.trim() ?? "",
			line: lines.linePos(pos[0]).line,
		}));
}
