/** The cells of the matrix: a row with a client, and whether it holds, is open or does not apply. */
import type { Client } from "./client.ts";
import { clients } from "./clients/index.ts";
import { openCells } from "./open.ts";
import { rows } from "./promises/index.ts";
import { notApplicable, type Row } from "./row.ts";

export interface Cell {
	readonly row: Row;
	readonly client: Client;
	readonly state: CellState;
}

export type CellState =
	{ kind: "holds" } | { kind: "open"; why: string } | { kind: "not applicable"; why: string };

export const cells: readonly Cell[] = rows.flatMap((row) =>
	clients.map((client) => ({ row, client, state: stateOf(row, client) })),
);

function stateOf(row: Row, client: Client): CellState {
	const why = notApplicable(row, client);
	if (why !== undefined) return { kind: "not applicable", why };
	const open = openCells.find((cell) => cell.row === row.id && cell.client === client.name);
	return open ? { kind: "open", why: open.why } : { kind: "holds" };
}
