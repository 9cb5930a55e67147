/** The page about compatibility, made from what others publish and what Tau has. */
import { subpaths } from "../subpaths.ts";
import { sections, type Row, type Section } from "./facts.ts";
import template from "./compatibility.md" with { type: "text" };

/** What `docs/compatibility.md` holds. */
export async function coveragePage(): Promise<string> {
	const all = await sections();
	const parts = Object.entries(subpaths).flatMap(([name, paths]) =>
		paths.map((path) => `\`${name}/${path}\``),
	);
	const filled = template
		.trim()
		.replace("{{subpaths}}", () => parts.join(", "))
		.replace("{{counts}}", () => counts(all))
		.replace("{{sections}}", () => all.map(section).join("\n\n"));
	const paths = [...new Set(all.flatMap(({ rows }) => rows.map(({ shown }) => shown)))].toSorted();
	return `${filled}\n\n${paths.map((path) => `[${labelOf(path)}]: ../${path}`).join("\n")}\n`;
}

function counts(all: readonly Section[]): string {
	const states = ["real", "alias", "harmless", "refused", "type"] as const;
	const rows = all.map(({ title, rows: each }) => {
		const numbers = states.map((state) => String(each.filter((row) => row.state === state).length));
		return [title, ...numbers];
	});
	return table(["what", ...states], rows);
}

function section({ title, rows }: Section): string {
	const cells = rows.map(({ name, published, state, note, shown }) => [
		`\`${name}\``,
		published.join(", "),
		state,
		note,
		`[${labelOf(shown)}]`,
	]);
	return `## ${title}\n\n${table(["name", "published in", "state", "note", "shown by"], cells)}`;
}

/** Short, because it stands in each row; the addresses are at the end of the page. */
function labelOf(path: string): string {
	return path.split("/").slice(-2).join("/").replace(/\.ts$/, "");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A row that says nothing somewhere. */
export function isBlank({ name, published, state, note, shown }: Row): boolean {
	return [name, state, note, shown].some((cell) => cell.trim() === "") || published.length === 0;
}
