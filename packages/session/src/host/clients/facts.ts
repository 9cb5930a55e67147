/** What clients see of a session: its facts, and the end of its branch. */
import type { Model, Usage } from "@tau/ai";
import {
	frameLimits,
	type AgentFacts,
	type Entry,
	type EntryTail,
	type PublicModel,
	type SessionFacts,
} from "@tau/wire";

import type { SessionManager } from "../../log/index.ts";
import { queuedTexts } from "../../run/session-events.ts";
import { limits } from "../limits.ts";
import type { AgentInfo } from "../agent-tree.ts";
import type { SessionHost } from "../session-host.ts";

/** A model without its headers, which may hold keys. */
export function publicModel({ headers: _, ...model }: Model): PublicModel {
	return model;
}

export function factsOfSession(host: SessionHost): SessionFacts {
	const { session, state, policy, work } = host;
	const { file, name } = state;
	const { steering, followUps, steeringMode, followUpMode } = session.state;
	const { goal } = work;
	return {
		session: {
			id: state.id,
			...(file === undefined ? {} : { file }),
			...(name === undefined ? {} : { name }),
			cwd: state.cwd,
			isTrusted: host.isTrusted,
		},
		phase: state.phase,
		isCompacting: session.isCompacting,
		model: publicModel(state.model),
		thinkingLevel: state.thinkingLevel,
		approvals: policy ? { mode: policy.mode, boundary: policy.boundary } : null,
		queue: { steering: queuedTexts(steering), followUp: queuedTexts(followUps) },
		queueModes: { steering: steeringMode, followUp: followUpMode },
		usage: isUncounted(host) ? null : usageOf(session.usage.totals),
		context: session.contextUsage(),
		goal: goal ? { check: goal.check, attempts: goal.attempts, maxAttempts: goal.maxAttempts } : null,
		todos: work.todos,
		agents: host.children.tree.all.map(agentFacts),
		hiddenTools: [...(session.tools?.hidden("user") ?? [])],
	};
}

/** What a long session has used is counted when its end is on the screen. */
export function isUncounted({ session, log }: SessionHost): boolean {
	return !session.usage.isCounted && log.getEntryCount() > limits.countAtOnce;
}

function usageOf({ input, output, cacheRead, cacheWrite, cost }: Readonly<Usage>): SessionFacts["usage"] {
	return { input, output, cacheRead, cacheWrite, cost: cost.total };
}

function agentFacts(info: AgentInfo): AgentFacts {
	const { id, parentId, spec, sessionFile, model, error, state, lastAction, tokens, cost, turns } = info;
	return {
		id,
		...(parentId === undefined ? {} : { parentId }),
		name: spec.name,
		...(spec.agent === undefined ? {} : { agent: spec.agent }),
		...(spec.task === undefined ? {} : { task: spec.task }),
		model,
		...(sessionFile === undefined ? {} : { sessionFile }),
		...(error === undefined ? {} : { error }),
		state,
		lastAction,
		tokens,
		cost,
		turns,
		startedAt: info.startedAt,
		...(info.endedAt === undefined ? {} : { endedAt: info.endedAt }),
	};
}

/** Reads as much as a screen needs; a session of 46 MB is not parsed for it. */
export function tailOf(log: SessionManager): EntryTail {
	const path = log.getBranchHeads();
	const entries: Entry[] = [];
	let bytes = 0;
	let at = path.length;
	while (at > 0 && entries.length < frameLimits.tailEntries && bytes < frameLimits.tailBytes) {
		const head = path[--at];
		const entry = head && log.getEntry(head.id);
		if (!entry) continue;
		bytes += sizeOf(entry);
		entries.push({ ...entry });
	}
	return { leafId: log.getLeafId(), entries: entries.toReversed(), earlier: at };
}

function sizeOf(entry: object): number {
	return JSON.stringify(entry).length;
}
