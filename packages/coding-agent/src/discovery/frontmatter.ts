/** Splits a Markdown file into the YAML at its head and the text below, and says where the head is wrong. */

export interface Document {
	fields: Record<string, unknown>;
	body: string;
	/** What is wrong with the head; then `fields` are those that can be read line by line. */
	problem?: { line: number; message: string };
}

export async function parseDocument(text: string): Promise<Document> {
	const [whole, head = ""] = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
	if (whole === undefined) {
		const isOpen = /^---[ \t]*\r?\n/.test(text);
		const problem = { line: 1, message: "the head is not closed by a line ---" };
		return { fields: {}, body: text, ...(isOpen ? { problem } : {}) };
	}
	const body = text.slice(whole.length);
	try {
		const value: unknown = head.trim() === "" ? {} : Bun.YAML.parse(head);
		if (typeof value === "object" && value !== null && !Array.isArray(value))
			return { fields: { ...value }, body };
		return { fields: {}, body, problem: { line: 2, message: "the head is not a table of names and values" } };
	} catch (error) {
		// `description: Use it for: this` is wrong and everywhere: what is plain to see is taken as it is meant.
		return { fields: plainLines(head), body, problem: await problemIn(head, error) };
	}
}

/** Positions cost a parser that is slow to load. */
async function problemIn(head: string, error: unknown): Promise<{ line: number; message: string }> {
	const { syntaxProblem } = await import("../config/yaml-positions.ts");
	const { line = 1, message } = syntaxProblem("", head, error);
	return { line: line + 1, message };
}

function plainLines(head: string): Record<string, string> {
	const fields = head.split(/\r?\n/).flatMap((line): [string, string][] => {
		const [, name, value = ""] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? [];
		return name === undefined ? [] : [[name, value.trim().replace(/^(["'])(.*)\1$/, "$2")]];
	});
	return Object.fromEntries(fields);
}

export function textField(fields: Record<string, unknown>, name: string): string | undefined {
	const value = fields[name];
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
