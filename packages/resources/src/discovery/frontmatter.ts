/** Splits a Markdown file into its YAML frontmatter and the text below, and reports errors in the frontmatter. */

export interface Document {
	fields: Record<string, unknown>;
	body: string;
	/** What is wrong with the head; `fields` are those that can be understood all the same. */
	problem?: { line: number; message: string };
}

export function parseDocument(text: string): Document {
	const [whole, head = ""] = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
	if (whole === undefined) {
		const isOpen = /^---[ \t]*\r?\n/.test(text);
		const problem = { line: 1, message: "the front matter is not closed by a line ---" };
		return { fields: {}, body: text, ...(isOpen ? { problem } : {}) };
	}
	const body = text.slice(whole.length);
	const fields = parseYaml(head);
	return fields ? { fields, body } : { ...fieldByField(head), body };
}

/** Undefined if the text is not a mapping. */
function parseYaml(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = text.trim() === "" ? {} : Bun.YAML.parse(text);
		const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
		return isTable ? { ...value } : undefined;
	} catch {
		// The error is located field by field: a parser that reports positions takes 50 ms to load.
		return undefined;
	}
}

/** `description: Use it for: this` is invalid YAML but common: it is read as intended, and reported. */
function fieldByField(head: string): Pick<Document, "fields" | "problem"> {
	const fields: Record<string, unknown> = {};
	let problem: Document["problem"];
	let line = 2;
	for (const entry of head.split(/\r?\n(?=\S)/)) {
		const [, name, value = ""] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)/.exec(entry) ?? [];
		const parsed = parseYaml(entry);
		if (parsed) Object.assign(fields, parsed);
		else {
			problem ??= {
				line,
				message:
					name === undefined ? "is not a front matter field" : `"${name}" is not valid YAML: quote its value`,
			};
			if (name !== undefined) fields[name] = value.trim().replace(/^(["'])(.*)\1$/, "$2");
		}
		line += entry.split("\n").length;
	}
	return {
		fields,
		problem: problem ?? { line: 2, message: "the front matter is not a set of key: value pairs" },
	};
}

export function textField(fields: Record<string, unknown>, name: string): string | undefined {
	const value = fields[name];
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
