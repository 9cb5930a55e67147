/** Every promise holds in every client: print, JSON, interactive, RPC, ACP, SDK and pi's SDK. */
// takes 56 s
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { root } from "../support/launch.ts";
import { cells, type Cell } from "./cells.ts";
import { clientNames } from "./client.ts";
import { inTurn } from "./in-turn.ts";
import { isolated, type Isolation } from "./isolation.ts";
import { limits } from "./limits.ts";
import { openCells } from "./open.ts";
import { matrixPage } from "./page.ts";

let isolation: Isolation;
beforeAll(() => {
	isolation = isolated();
});
afterAll(() => isolation[Symbol.dispose]());

const applicable = cells.filter(({ state }) => state.kind !== "not applicable");

describe.each(clientNames)("%s", (name) => {
	for (const cell of applicable.filter(({ client }) => client.name === name)) {
		const { row, state } = cell;
		const title = `${state.kind === "open" ? "open: " : ""}${row.title} [${row.id}]`;
		// How sessions in one process affect each other is visible only if no other cell runs there.
		if (row.isAlone) test(title, () => checked(cell), limits.cellMs);
		else test.concurrent(title, () => inTurn(() => checked(cell)), limits.suiteMs);
	}
});

/** An open cell fails the suite as soon as it passes, so that the list cannot be out of date. */
async function checked({ row, client, state }: Cell): Promise<void> {
	if (state.kind === "holds") return await row.check(client);
	const holds = await row.check(client).then(
		() => true,
		() => false,
	);
	if (holds) throw new Error(`${row.id} holds in ${client.name} now: remove it from test/matrix/open.ts.`);
}

test("every open cell is a cell of the matrix, and is listed once", () => {
	const known = new Set(applicable.map(({ row, client }) => `${row.id} ${client.name}`));
	const listed = openCells.map(({ row, client }) => `${row} ${client}`);
	expect(listed.filter((cell) => !known.has(cell))).toEqual([]);
	expect(new Set(listed).size).toBe(listed.length);
});

test("docs/matrix.md is the output of `bun scripts/matrix-docs.ts`: run it if this fails", async () => {
	expect(await Bun.file(join(root, "docs/matrix.md")).text()).toBe(matrixPage());
});
