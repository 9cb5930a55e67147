/** Separates the frontmatter of a rule file from its text; lenient, because editors write frontmatter that is not YAML. */

export interface Headed {
	/** Absent where the file has none. */
	head?: Readonly<Record<string, unknown>>;
	body: string;
}

export function readHead(text: string): Headed {
	const [whole, head] = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
	if (whole === undefined) return { body: text.trim() };
	return { head: fields(head ?? ""), body: text.slice(whole.length).trim() };
}

function fields(head: string): Readonly<Record<string, unknown>> {
	try {
		const value: unknown = Bun.YAML.parse(head);
		if (isTable(value)) return value;
	} catch {
		// `globs: *.ts` is an alias in YAML but meant as a glob, so the lines are read literally.
	}
	return plainFields(head);
}

function isTable(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `name: value`, and `- value` for the name above. */
function plainFields(head: string): Record<string, unknown> {
	const found = new Map<string, unknown>();
	let list: string[] = [];
	for (const line of head.split(/\r?\n/)) {
		const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
		const [, name, value = ""] = /^(\w[\w-]*):\s*(.*)$/.exec(line) ?? [];
		if (item !== undefined) list.push(unquoted(item));
		else if (name !== undefined) {
			list = [];
			found.set(name, value.trim() === "" ? list : plainValue(value));
		}
	}
	return Object.fromEntries(found);
}

function plainValue(text: string): unknown {
	const value = text.trim();
	if (value === "true" || value === "false") return value === "true";
	return /^\d+$/.test(value) ? Number(value) : unquoted(value);
}

function unquoted(text: string): string {
	const value = text.trim();
	return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
