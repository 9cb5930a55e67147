/** Every promise holds in every client: print, JSON, interactive, RPC, SDK and pi's SDK. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { clients } from "./clients/index.ts";
import { inTurn } from "./in-turn.ts";
import { isolated, type Isolation } from "./isolation.ts";
import { limits } from "./limits.ts";
import { openCells } from "./open.ts";
import { rows } from "./promises/index.ts";
import { notApplicable, type Row } from "./row.ts";
import type { Client } from "./client.ts";

interface Cell {
	row: Row;
	client: Client;
	/** Why it does not hold today. */
	open: string | undefined;
}

let isolation: Isolation;
beforeAll(() => {
	isolation = isolated();
});
afterAll(() => isolation[Symbol.dispose]());

const cells: readonly Cell[] = rows.flatMap((row) =>
	clients
		.filter((client) => notApplicable(row, client) === undefined)
		.map((client) => ({ row, client, open: openWhy(row, client) })),
);

function openWhy(row: Row, client: Client): string | undefined {
	return openCells.find((cell) => cell.row === row.id && cell.client === client.name)?.why;
}

for (const client of clients) {
	describe(client.name, () => {
		for (const cell of cells.filter((each) => each.client === client)) {
			const { row, open } = cell;
			const name = open === undefined ? `${row.title} [${row.id}]` : `open: ${row.title} [${row.id}]`;
			test.concurrent(name, () => inTurn(() => checked(cell)), limits.suiteMs);
		}
	});
}

function checked(cell: Cell): Promise<void> {
	return cell.open === undefined ? cell.row.check(cell.client) : stillFails(cell);
}

/** An open cell fails the suite as soon as it holds, so that the list cannot be out of date. */
async function stillFails({ row, client }: Cell): Promise<void> {
	const holds = await row.check(client).then(
		() => true,
		() => false,
	);
	if (holds) throw new Error(`${row.id} holds in ${client.name} now: remove it from test/matrix/open.ts.`);
}

test("every open cell is a cell of the matrix, and is listed once", () => {
	const known = new Set(cells.map(({ row, client }) => `${row.id} ${client.name}`));
	const listed = openCells.map((cell) => `${cell.row} ${cell.client}`);
	expect(listed.filter((cell) => !known.has(cell))).toEqual([]);
	expect(new Set(listed).size).toBe(listed.length);
});
