/** The cells that do not hold today, each with its cause. A cell that holds has to leave this list. */
import type { ClientName } from "./client.ts";

export interface OpenCell {
	readonly row: string;
	readonly client: ClientName;
	readonly why: string;
}

const everyClient: readonly ClientName[] = ["print", "json", "interactive", "rpc", "sdk", "pi-sdk"];
const withoutPrint: readonly ClientName[] = ["json", "interactive", "rpc", "sdk", "pi-sdk"];

function cells(why: string, clientsOf: Readonly<Record<string, readonly ClientName[]>>): OpenCell[] {
	return Object.entries(clientsOf).flatMap(([row, clients]) =>
		clients.map((client) => ({ row, client, why })),
	);
}

const admission: readonly OpenCell[] = [
	...cells("steer and follow_up expand the message without its input handlers (rpc/handlers.ts:35)", {
		"prompts/steer": ["rpc"],
		"prompts/follow-up": ["rpc"],
		"denied/steer": ["rpc"],
		"denied/follow-up": ["rpc"],
	}),
	...cells("steer() and followUp() queue the message as it is (session/run/agent-session.ts:225)", {
		"prompts/steer": ["sdk"],
		"prompts/follow-up": ["sdk"],
		"denied/steer": ["sdk"],
		"denied/follow-up": ["sdk"],
	}),
	...cells("sendUserMessage during a run delivers past the input handlers (extensions/api/actions.ts:42)", {
		"prompts/extension": everyClient,
	}),
	...cells(
		"a notice waits for the next event, and a denied prompt has none (session/run/agent-session.ts:437)",
		{
			"denied/prompt": ["print", "json"],
		},
	),
];

/** `SessionParts` of compat/sdk/create-agent-session.ts:91 have neither `hooks` nor `ask` nor `prompt.foundRules`. */
const assembly: readonly OpenCell[] = [
	...cells("pi's createAgentSession loads no hooks (compat/sdk/create-agent-session.ts:91)", {
		"prompts/prompt": ["pi-sdk"],
		"prompts/steer": ["pi-sdk"],
		"prompts/follow-up": ["pi-sdk"],
		"denied/prompt": ["pi-sdk"],
		"denied/steer": ["pi-sdk"],
		"denied/follow-up": ["pi-sdk"],
		"requests/hook": ["pi-sdk"],
		"policy/hook": ["pi-sdk"],
		"policy/nested-hook": everyClient,
		"rewriting/hook-validated": ["pi-sdk"],
	}),
	...cells("pi's createAgentSession loads no rules (compat/sdk/create-agent-session.ts:190)", {
		"policy/rule": ["pi-sdk"],
		"policy/interrupting-rule": ["pi-sdk"],
	}),
	...cells("only interactive mode passes ask to the session (cli/launch/interactive-session.ts:162)", {
		"requests/ask": ["rpc", "pi-sdk"],
		"requests/hook": ["rpc"],
	}),
	...cells("the protocol has neither list_requests nor answer_request", { "requests/listed": ["rpc"] }),
	...cells("the SDK's session has neither requests.pending nor answer()", {
		"requests/ask": ["sdk"],
		"requests/listed": ["sdk"],
		"requests/hook": ["sdk"],
	}),
];

const selection: readonly OpenCell[] = [
	...cells("setModel() does not write to the log (session/run/agent-session.ts:260)", {
		"selection/model": ["sdk"],
	}),
	...cells("--model on a session that is resumed does not write to the log (cli/launch/launch.ts)", {
		"selection/model": ["print", "json"],
	}),
	...cells("the level in the log is ignored when a session is opened (session/models/session-model.ts:29)", {
		"selection/level": ["interactive", "rpc", "pi-sdk"],
	}),
	...cells("--thinking and setThinkingLevel() do not write to the log (session/run/agent-session.ts:267)", {
		"selection/level": ["print", "json", "sdk"],
	}),
	...cells("the level that fits the new model is not logged (extensions/api/actions.ts:167)", {
		"selection/fitted-level": everyClient,
	}),
	...cells("the SDK's only way to a name is the log, which announces nothing", { "names/user": ["sdk"] }),
	...cells("setSessionName writes to the log alone (compat/sdk/agent-session.ts:266)", {
		"names/user": ["pi-sdk"],
	}),
	...cells("newSession makes a session without telling it the model (compat/sdk/session-runtime.ts:160)", {
		"moves/new": ["pi-sdk"],
	}),
	...cells("switchSession leaves the session before it reads the file (compat/sdk/session-runtime.ts:109)", {
		"moves/wrong-file": ["pi-sdk"],
	}),
];

const settings: readonly OpenCell[] = [
	...cells(
		"retry.*, compaction.* and budget.* are copied at the start (session/run/run-settings.ts:9,19,52)",
		{
			"settings/compaction": ["interactive", "sdk", "pi-sdk"],
			"settings/max-retries": ["interactive", "sdk", "pi-sdk"],
			"settings/retry": ["interactive", "sdk", "pi-sdk"],
			"settings/budget": ["interactive", "sdk", "pi-sdk"],
		},
	),
	...cells("queue modes are copied at the start (extensions/assembly/create-session.ts:120)", {
		"settings/steering-mode": ["interactive", "sdk", "pi-sdk"],
		"settings/follow-up-mode": ["interactive", "sdk", "pi-sdk"],
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
			"tools/operations": everyClient,
		},
	),
];

const shell: readonly OpenCell[] = [
	...cells("the bash command has a shell of its own (rpc/bash-desk.ts:94)", {
		"shell/directory": ["rpc"],
		"shell/user-variable": ["rpc"],
		"shell/model-variable": ["rpc"],
	}),
	...cells("executeBash starts a process per command (compat/sdk/session-bash.ts:78)", {
		"shell/directory": ["pi-sdk"],
		"shell/user-variable": ["pi-sdk"],
		"shell/model-variable": ["pi-sdk"],
	}),
	...cells("the SDK's session has no shell()", {
		"shell/directory": ["sdk"],
		"shell/user-variable": ["sdk"],
		"shell/model-variable": ["sdk"],
		"abort/user-command": ["sdk"],
	}),
	...cells("the SDK's session has neither getSessionStats() nor exportToHtml()", {
		"stats/agreement": ["sdk"],
	}),
];

const calls: readonly OpenCell[] = [
	...cells("arguments that tool_call handlers change are not validated again (agent/run-tools.ts:82)", {
		"rewriting/validated": everyClient,
	}),
	...cells("tool_execution_start comes before the rewriting (agent/run-tools.ts:48)", {
		"rewriting/announced": withoutPrint,
		"rewriting/hook-announced": withoutPrint,
	}),
	...cells("only the model's arguments are logged, with its answer (agent/run-tools.ts:55)", {
		"rewriting/logged": everyClient,
	}),
];

const processWide: readonly OpenCell[] = [
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

export const openCells: readonly OpenCell[] = [
	...admission,
	...assembly,
	...selection,
	...settings,
	...shell,
	...calls,
	...processWide,
];
