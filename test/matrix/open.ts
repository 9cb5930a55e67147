/** The cells that do not hold today, each with its cause. A cell that holds has to leave this list. */
import type { ClientName } from "./client.ts";

export interface OpenCell {
	readonly row: string;
	readonly client: ClientName;
	readonly why: string;
}

function cells(why: string, clientsOf: Readonly<Record<string, readonly ClientName[]>>): OpenCell[] {
	return Object.entries(clientsOf).flatMap(([row, clients]) =>
		clients.map((client) => ({ row, client, why })),
	);
}

export const openCells: readonly OpenCell[] = [
	...cells(
		"tools with operations are written a second time, without artifacts (compat/operations/bash.ts:29)",
		{
			"tools/operations": ["print", "json", "interactive", "rpc", "sdk", "pi-sdk"],
		},
	),
	...cells("arguments that tool_call handlers change are not validated again (agent/run-tools.ts:82)", {
		"rewriting/validated": ["print", "json", "interactive", "rpc", "sdk", "pi-sdk"],
	}),
	...cells("tool_execution_start comes before the rewriting (agent/run-tools.ts:48)", {
		"rewriting/announced": ["json", "interactive", "rpc", "sdk", "pi-sdk"],
		"rewriting/hook-announced": ["json", "interactive", "rpc", "sdk", "pi-sdk"],
	}),
	...cells("only the model's arguments are logged, with its answer (agent/run-tools.ts:55)", {
		"rewriting/logged": ["print", "json", "interactive", "rpc", "sdk", "pi-sdk"],
	}),
	...cells("stream functions are registered per process (ai/stream.ts:14)", {
		"side-by-side/providers": ["sdk", "pi-sdk"],
	}),
	...cells("write fallbacks are registered per process (tools/files/fallback.ts:26)", {
		"side-by-side/fallbacks": ["sdk", "pi-sdk"],
	}),
	...cells("tools of extensions share a shelf per process (compat/support/own-place.ts:32)", {
		"side-by-side/extension-tools": ["sdk", "pi-sdk"],
	}),
];
