/** Splits a Markdown file into the YAML at its head and the text below. */
import { parse } from "yaml";

export interface Frontmatter {
	frontmatter: Record<string, unknown>;
	body: string;
}

/** What cannot be read as YAML is no head: then there is only text. */
export function parseFrontmatter(content: string): Frontmatter {
	const [whole, head = ""] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(content) ?? [];
	if (whole === undefined) return { frontmatter: {}, body: content };
	try {
		const value: unknown = parse(head);
		const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
		return { frontmatter: isTable ? { ...value } : {}, body: content.slice(whole.length) };
	} catch {
		// Reported by code that needs the frontmatter; the text is returned either way.
		return { frontmatter: {}, body: content };
	}
}

export function stripFrontmatter(content: string): string {
	return parseFrontmatter(content).body;
}
