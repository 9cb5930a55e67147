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
	...cells("pi's createAgentSession loads no hooks (compat/sdk/create-agent-session.ts:91)", {
		"requests/hook": ["pi-sdk"],
	}),
	...cells("only interactive mode passes ask to the session (cli/launch/interactive-session.ts:162)", {
		"requests/ask": ["pi-sdk"],
	}),
	...cells("the protocol has neither list_requests nor answer_request", {
		"requests/listed": ["rpc"],
	}),
	...cells("the SDK's session has neither requests.pending nor answer()", {
		"requests/ask": ["sdk"],
		"requests/listed": ["sdk"],
		"requests/hook": ["sdk"],
	}),
	...cells("--model on a session that is resumed does not write to the log (cli/launch/launch.ts)", {
		"selection/model": ["print", "json"],
	}),
	...cells("--thinking and setThinkingLevel() do not write to the log (session/run/agent-session.ts:267)", {
		"selection/level": ["print", "json"],
	}),
	...cells("the level that fits the new model is not logged (extensions/api/actions.ts:167)", {
		"selection/fitted-level": ["print", "json"],
	}),
	...cells("the SDK's only way to a name is the log, which announces nothing", {
		"names/user": ["sdk"],
	}),
	...cells("newSession makes a session without telling it the model (compat/sdk/session-runtime.ts:160)", {
		"moves/new": ["pi-sdk"],
	}),
	...cells("switchSession leaves the session before it reads the file (compat/sdk/session-runtime.ts:109)", {
		"moves/wrong-file": ["pi-sdk"],
	}),
	...cells(
		"retry.*, compaction.* and budget.* are copied at the start (session/run/run-settings.ts:9,19,52)",
		{
			"settings/compaction": ["pi-sdk"],
			"settings/max-retries": ["pi-sdk"],
			"settings/retry": ["pi-sdk"],
			"settings/budget": ["interactive", "pi-sdk"],
		},
	),
	...cells("queue modes are copied at the start (extensions/assembly/create-session.ts:120)", {
		"settings/steering-mode": ["pi-sdk"],
		"settings/follow-up-mode": ["pi-sdk"],
	}),
	...cells("no command of the protocol changes a setting (set_setting { path, value } is proposed)", {
		"settings/max-retries": ["rpc"],
		"settings/budget": ["rpc"],
	}),
	...cells("setActiveTools knows nothing of what /tools switched off (commands/tool-choice.ts:6)", {
		"tools/while-open": ["interactive"],
	}),
	...cells(
		"tools with operations are written a second time, without artifacts (compat/operations/bash.ts:29)",
		{
			"tools/operations": ["print", "json", "interactive", "rpc", "sdk", "pi-sdk"],
		},
	),
	...cells("the SDK's session has neither getSessionStats() nor exportToHtml()", {
		"stats/agreement": ["sdk"],
	}),
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
