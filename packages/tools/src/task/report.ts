/** How agents are shown: to the model when they have ended, to the user while they work. */
import type { AgentInfo, AgentOutcome } from "@tau/session/host";
import { cutUnits, oneLine, withoutMarkdown } from "@tau/utils";

import { limits } from "./limits.ts";

/** A row of a view: one agent. */
export interface AgentRow {
	id: string;
	type: string;
	state: string;
	lastAction: string;
	tokens: number;
	cost: number;
	ms: number;
}

export function rowOf(info: AgentInfo): AgentRow {
	const { id, spec, state, lastAction, tokens, cost, startedAt, endedAt } = info;
	const ms = (endedAt ?? Date.now()) - startedAt;
	return { id, type: spec.agent ?? spec.name, state, lastAction, tokens, cost, ms };
}

export function outcomeRow({ id, type, end, reason, text, tokens, cost, ms }: AgentOutcome): AgentRow {
	const lastAction = reason ?? oneLine(withoutMarkdown(text), limits.rowChars);
	return { id, type, state: end, lastAction, tokens, cost, ms };
}

/** `Scout (explore) running · grep foo · 12.3k tokens · $0.02 · 8 s` */
export function rowText({ id, type, state, lastAction, tokens, cost, ms }: AgentRow): string {
	const kind = id.split(".").at(-1)?.replace(/-\d+$/, "") === type ? "" : ` (${type})`;
	const parts = [
		`${id}${kind} ${state}`,
		oneLine(lastAction, limits.rowChars),
		spentText({ tokens, cost, ms }),
	];
	return parts.filter((part) => part !== "").join(" · ");
}

function spentText({ tokens, cost, ms }: Pick<AgentRow, "tokens" | "cost" | "ms">): string {
	const count = tokens >= 1000 ? `${(tokens / 1000).toFixed(1)}k` : String(tokens);
	const money = cost > 0 ? ` · $${cost.toFixed(cost < 0.1 ? 4 : 2)}` : "";
	return `${count} tokens${money} · ${Math.round(ms / 1000)} s`;
}

/** What the model reads of an agent that has ended. */
export function outcomeText(outcome: AgentOutcome): string {
	const { id, type, end, reason, text, turns } = outcome;
	const ending = end === "budget" ? "stopped by its budget" : end;
	const why = reason === undefined ? "" : `: ${reason}`;
	const head = `[agent ${id} (${type}) ${ending} after ${turns} ${turns === 1 ? "turn" : "turns"}, ${spentText(outcome)}${why}]`;
	const merge = outcome.merge ? `\n${outcome.merge}` : "";
	if (text === "") return `${head}\n(no output)${merge}`;
	const isPartial = end === "completed" ? "" : "\nWhat there is:";
	const shown = cutUnits(text, limits.inlineChars);
	const more = text.length - shown.length;
	return `${head}${isPartial}\n${shown}${more > 0 ? `\n[${more} more characters: read agent://${id}]` : ""}${merge}`;
}
