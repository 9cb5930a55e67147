/** What the files of a session say about agents of earlier processes, and which of them were cut off in their work. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";

import { isRecord, oneLine } from "@tau/utils";

import { SessionManager } from "@tau/log";
import type { Behavior } from "../run/behavior.ts";
import type { AgentRecord, AgentTree } from "./agent-tree.ts";
import type { ChildOutcome } from "./children.ts";
import { limits } from "./limits.ts";
import type { SessionHost } from "./session-host.ts";

/** The type of the entry that an agent's log ends with; behind it the agent works again. */
const endType = "tau.agent-end";
const cutOff = "Tau ended while it was working.";

export function recordEnd(log: SessionManager, outcome: ChildOutcome, error: string | undefined): void {
	log.appendCustomEntry(endType, { outcome, ...(error === undefined ? {} : { error }) });
}

/** The agents with these ids, oldest first. Of the newest their logs are read. */
export function storedAgents(tree: AgentTree, ids: readonly string[]): AgentRecord[] {
	const files = ids.flatMap((id) => {
		const file = tree.logFile(id);
		const info = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
		return file === undefined || !info ? [] : [{ id, file, changedAt: info.mtimeMs }];
	});
	const newestFirst = files.toSorted((one, other) => other.changedAt - one.changedAt);
	return newestFirst
		.slice(0, limits.agentRecords)
		.map(({ id, file, changedAt }, at) => {
			const plain = plainRecord(id, file, changedAt);
			return at < limits.readAgentLogs ? { ...plain, ...readRecord(tree, id, file) } : plain;
		})
		.toSorted((one, other) => one.startedAt - other.startedAt);
}

function plainRecord(id: string, sessionFile: string, changedAt: number): AgentRecord {
	const parentId = id.includes(".") ? id.slice(0, id.lastIndexOf(".")) : undefined;
	const spec = { name: id.slice((parentId?.length ?? -1) + 1) };
	const nothing = { model: "", lastAction: "", tokens: 0, cost: 0, turns: 0, error: undefined };
	return {
		...nothing,
		id,
		parentId,
		spec,
		sessionFile,
		state: "completed",
		startedAt: changedAt,
		endedAt: changedAt,
	};
}

function readRecord(tree: AgentTree, id: string, file: string): Partial<AgentRecord> {
	const opened = SessionManager.tryOpen(file, { access: "read" });
	if (!opened.ok) return {};
	using log = opened.session;
	const heads = log.getHeads();
	const init = log.getBranch().find((entry) => entry.type === "session_init");
	const { model, messages } = log.buildSessionContext();
	const spent = [...log.spent()];
	const last = messages.findLast((message) => message.role === "assistant");
	const text = last?.content.map((part) => (part.type === "text" ? part.text : "")).join(" ") ?? "";
	const { outcome, error } = isCutOff(tree, id, file) ? { outcome: "aborted", error: cutOff } : endOf(log);
	const agent = init?.agent === undefined ? {} : { agent: init.agent };
	const name = id.split(".").at(-1) ?? id;
	return {
		spec: { name, ...(init ? { task: init.task } : {}), ...agent },
		model: model ? `${model.provider}/${model.modelId}` : "",
		startedAt: timeOf(heads.at(0)?.timestamp),
		endedAt: timeOf(heads.at(-1)?.timestamp),
		lastAction: oneLine(text, limits.actionChars),
		tokens: spent.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0),
		cost: spent.reduce((sum, { usage }) => sum + (usage?.cost?.total ?? 0), 0),
		turns: spent.filter(({ isTurn }) => isTurn).length,
		state: outcome as ChildOutcome,
		error,
	};
}

function endOf(log: SessionManager): { outcome: string; error: string | undefined } {
	for (const { id, type } of log.getHeads().toReversed()) {
		const entry = type === "custom" ? log.getEntry(id) : undefined;
		if (entry?.type !== "custom" || entry.customType !== endType) continue;
		const { outcome, error } = isRecord(entry.data) ? entry.data : {};
		const isKnown = outcome === "aborted" || outcome === "failed";
		return { outcome: isKnown ? outcome : "completed", error: typeof error === "string" ? error : undefined };
	}
	return { outcome: "completed", error: undefined };
}

function timeOf(timestamp: string | undefined): number {
	return Date.parse(timestamp ?? "") || 0;
}

/** Logs of version 0.2 have no such end: an agent with a report has ended. */
function isCutOff(tree: AgentTree, id: string, file: string): boolean {
	if (lastBytes(file).trimEnd().split("\n").at(-1)?.includes(endType)) return false;
	return tree.outputs.read(id) === undefined || readFileSync(file).includes(endType);
}

function lastBytes(file: string): string {
	const handle = openSync(file, "r");
	try {
		const { size } = fstatSync(handle);
		const length = Math.min(size, limits.agentEndBytes);
		const buffer = Buffer.alloc(length);
		readSync(handle, buffer, 0, length, size - length);
		return buffer.toString("utf8");
	} finally {
		closeSync(handle);
	}
}

/** Names the agents that were working when the last process of this session was killed, once. */
export function interruptedAgents(host: SessionHost, isResumed: boolean): Behavior {
	return {
		name: "interrupted-agents",
		attach(session) {
			let isDone = !isResumed;
			return session.onBefore(["agent_start"], () => {
				if (isDone) return;
				isDone = true;
				const { tree } = host.children;
				const ids = tree.stored.filter((id) => {
					const file = tree.logFile(id);
					return file !== undefined && existsSync(file) && isCutOff(tree, id, file);
				});
				if (ids.length === 0) return;
				for (const id of ids) markCutOff(tree.logFile(id) ?? "");
				const named = oneLine(ids.join(", "), limits.actionChars);
				const count = ids.length === 1 ? "1 agent was" : `${ids.length} agents were`;
				session.notice(
					"warning",
					`Tau ended while ${count} working: ${named}. Their conversations are kept: see /agents.`,
				);
			});
		},
	};
}

function markCutOff(file: string): void {
	const opened = SessionManager.tryOpen(file);
	if (!opened.ok) return;
	using log = opened.session;
	recordEnd(log, "aborted", cutOff);
}
