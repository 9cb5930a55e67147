/** The page `docs/matrix.md`: the matrix as a table, with the reason for every cell that is not checked. */
import { cells, type Cell } from "./cells.ts";
import { clientNames, type ClientName } from "./client.ts";
import { rows } from "./promises/index.ts";
import template from "./page.md" with { type: "text" };

export function matrixPage(): string {
	const notes = new Notes();
	const lines = rows.map((row) => {
		const marks = clientNames.map((client) => mark(cellOf(row.id, client), notes));
		return `| ${row.title} | ${marks.join(" | ")} |`;
	});
	const table = [
		`| in every client | ${clientNames.join(" | ")} |`,
		`| --- |${clientNames.map(() => " --- |").join("")}`,
		...lines,
	];
	return template.replace("{table}", table.join("\n")).replace("{notes}", notes.text());
}

function cellOf(row: string, client: ClientName): Cell | undefined {
	return cells.find((cell) => cell.row.id === row && cell.client.name === client);
}

function mark(cell: Cell | undefined, notes: Notes): string {
	if (!cell || cell.state.kind === "holds") return "yes";
	const { kind, why } = cell.state;
	if (kind === "open") return `not yet ${notes.number(why)}`;
	return `– ${notes.number(`${cell.client.name} ${why}`)}`;
}

/** Numbers each reason once, in the order of the table. */
class Notes {
	readonly #all: string[] = [];

	number(note: string): number {
		if (!this.#all.includes(note)) this.#all.push(note);
		return this.#all.indexOf(note) + 1;
	}

	text(): string {
		return this.#all.map((note, at) => `${at + 1}. ${note}`).join("\n");
	}
}
