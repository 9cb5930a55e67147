/** What one answer of the demo is made of, before it is streamed. */

/** Adjacent pieces of text become one block. */
export type Piece =
	| { kind: "text"; text: string }
	/** `always`: also when the user switched thinking off, because thinking is what they asked to see. */
	| { kind: "thinking"; text: string; always?: true }
	/** Sample markdown, made while it is streamed. */
	| { kind: "sample"; lines: number }
	/** How to connect a real model; needs a probe of the machine. */
	| { kind: "connection" }
	| { kind: "call"; tool: string; arguments: Record<string, unknown> };

export type Step = readonly Piece[];

export function say(text: string): Piece {
	return { kind: "text", text: text.trim() };
}

export function think(text: string): Piece {
	return { kind: "thinking", text: text.trim() };
}

export function bash(command: string): Piece {
	return { kind: "call", tool: "bash", arguments: { command } };
}

export function read(path: string, range: { offset?: number; limit?: number } = {}): Piece {
	return { kind: "call", tool: "read", arguments: { path, ...range } };
}

/** Any text as one word for bash, unchanged; callers reject NUL, which no argument can contain. */
export function shellQuote(text: string): string {
	return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A path as a user types it: `~/` is the home folder, everything else is literal. */
export function shellPath(path: string): string {
	if (path === "~") return '"$HOME"';
	return path.startsWith("~/") ? `"$HOME"/${shellQuote(path.slice(2))}` : shellQuote(path);
}
