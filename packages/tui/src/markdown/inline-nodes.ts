/** The inline content of Markdown: a list of nodes, some of which open or close a style. */
import type { Run } from "./emphasis.ts";

export type Style = "em" | "strong" | "del";

export type Inline =
	| { kind: "text" | "code" | "html"; text: string }
	| { kind: "break"; isHard: boolean }
	| { kind: "open" | "close"; style: Style }
	| { kind: "link" | "image"; href: string; title: string }
	| { kind: "unlink" | "unimage" };

/** A node during parsing: delimiters and brackets are undecided until they are paired. */
export type PendingNode = Inline | Run;

/** The nodes in order, with unpaired delimiters as text. */
export function settled(drafts: readonly PendingNode[]): Inline[] {
	const pieces: Inline[] = [];
	for (const draft of drafts) {
		if (draft.kind !== "run") {
			addPiece(pieces, draft);
			continue;
		}
		for (const style of draft.closes) pieces.push({ kind: "close", style });
		addPiece(pieces, { kind: "text", text: draft.sign.repeat(draft.count) });
		for (const style of draft.opens.toReversed()) pieces.push({ kind: "open", style });
	}
	return pieces;
}

function addPiece(pieces: Inline[], piece: Inline): void {
	const last = pieces.at(-1);
	if (piece.kind === "text" && piece.text === "") return;
	if (piece.kind === "text" && last?.kind === "text") {
		pieces[pieces.length - 1] = { kind: "text", text: last.text + piece.text };
	} else pieces.push(piece);
}
