/** docs/compatibility.md and the table behind it, made from what pi and omp publish and what Tau has. */
import { sections, type Row, type Section } from "./facts.ts";
import template from "./compatibility.md" with { type: "text" };

const states = ["real", "alias", "harmless", "refused", "absent", "type"] as const;

/** The names that represent all others with the same reason. */
const examplesPerReason = 3;

/** Shows what is true of many names at once; the table leaves it out. */
const generalTests = /\/(?:exports|page)\.test\.ts$/;

/** What `names.tsv` holds: one name a line. */
export async function namesTable(): Promise<string> {
	const lines = (await sections()).flatMap(({ key, rows }) =>
		rows.map(({ name, state, note, published, shown }) =>
			[key, name, state, note, published.join(", "), generalTests.test(shown) ? "–" : shown].join("\t"),
		),
	);
	return `${["area\tname\tstate\tnote\tpublished in\tshown by", ...lines].join("\n")}\n`;
}

/** What `docs/compatibility.md` holds. */
export async function coveragePage(): Promise<string> {
	const all = await sections();
	const filled = template
		.trim()
		.replace("{{counts}}", () => counts(all))
		.replace("{{refused}}", () => byReason(all, "refused"))
		.replace("{{harmless}}", () => byReason(all, "harmless"))
		.replace("{{absent}}", () => byReason(all, "absent"));
	return `${filled}\n`;
}

function counts(all: readonly Section[]): string {
	const count = (rows: readonly Row[], state: string): string =>
		String(rows.filter((row) => row.state === state).length);
	const rows = all.map(({ title, rows: each }) => [title, ...states.map((state) => count(each, state))]);
	const every = all.flatMap(({ rows: each }) => each);
	return table(["area", ...states], [...rows, ["all", ...states.map((state) => count(every, state))]]);
}

/** One row a reason, those with the most names first. */
function byReason(all: readonly Section[], state: Row["state"]): string {
	const reasons = new Map<string, string[]>();
	for (const { rows } of all)
		for (const { name, note } of rows.filter((row) => row.state === state))
			reasons.set(note, [...(reasons.get(note) ?? []), name]);
	const rows = [...reasons]
		.toSorted(([, one], [, other]) => other.length - one.length)
		.map(([reason, names]) => [reason, String(names.length), some(names)]);
	return table(["reason", "names", "for example"], rows);
}

function some(names: readonly string[]): string {
	const shown = names.slice(0, examplesPerReason).map((name) => `\`${name}\``);
	return names.length > examplesPerReason ? `${shown.join(", ")} …` : shown.join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A row that says nothing somewhere, or that would break the table. */
export function isBlank({ name, published, state, note, shown }: Row): boolean {
	const cells = [name, state, note, shown];
	return cells.some((cell) => cell.trim() === "" || /[\t\n]/.test(cell)) || published.length === 0;
}
