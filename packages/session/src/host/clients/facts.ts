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

import type { SessionManager } from "@tau/log";
import { queuedTexts } from "../../run/session-events.ts";
import { limits } from "../limits.ts";
import type { AgentInfo } from "../agent-tree.ts";
import type { SessionHost } from "../session-host.ts";

/** A model without its headers, which may hold keys. */
export function publicModel({ headers: _, ...model }: Model): PublicModel {
	return model;
}

/** Each fact, as it is now. */
const facts: { readonly [K in keyof SessionFacts]: (host: SessionHost) => SessionFacts[K] } = {
	session(host) {
		const { id, file, name, cwd } = host.state;
		return {
			id,
			...(file === undefined ? {} : { file }),
			...(name === undefined ? {} : { name }),
			cwd,
			// Read from a file, so only for those who ask.
			get isTrusted() {
				return host.isTrusted;
			},
		};
	},
	phase: ({ phase }) => phase,
	isCompacting: ({ session }) => session.isCompacting,
	model: ({ session }) => publicModel(session.model),
	thinkingLevel: ({ session }) => session.state.thinkingLevel,
	approvals: ({ policy }) => (policy ? { mode: policy.mode, boundary: policy.boundary } : null),
	queue({ session }) {
		const { steering, followUps } = session.state;
		return { steering: queuedTexts(steering), followUp: queuedTexts(followUps) };
	},
	queueModes({ session }) {
		const { steeringMode, followUpMode } = session.state;
		return { steering: steeringMode, followUp: followUpMode };
	},
	usage: (host) => (isUncounted(host) ? null : usageOf(host.session.usage.totals)),
	context: ({ session }) => session.contextUsage(),
	goal({ work: { goal } }) {
		return goal ? { check: goal.check, attempts: goal.attempts, maxAttempts: goal.maxAttempts } : null;
	},
	todos: ({ work }) => work.todos,
	machine: ({ work }) => work.machine ?? null,
	agents: ({ children }) => children.tree.all.map(agentFacts),
	hiddenTools: ({ session }) => [...(session.tools?.hidden("user") ?? [])],
};

/** Everything as of now, for clients elsewhere. */
export function factsOfSession(host: SessionHost): SessionFacts {
	const entries = Object.entries(facts).map(([name, read]) => [name, read(host)]);
	// The names are those of the table, which the compiler does not follow through entries.
	return Object.fromEntries(entries) as SessionFacts;
}

/** For a client of this process: each fact is read when it is asked for. */
export function liveFacts(host: SessionHost): SessionFacts {
	const live = {};
	// Who reads what was used wants it counted.
	const usage: typeof facts.usage = (read) => {
		if (isUncounted(read)) void read.session.usage.count();
		return facts.usage(read);
	};
	for (const [name, read] of Object.entries({ ...facts, usage }))
		Object.defineProperty(live, name, { get: () => read(host), enumerable: true });
	return live as SessionFacts;
}

/** What a long session has used is counted when its end is on the screen. */
export function isUncounted({ session, log }: SessionHost): boolean {
	return !session.usage.isCounted && log.getEntryCount() > limits.countAtOnce;
}

function usageOf({ input, output, cacheRead, cacheWrite, cost }: Readonly<Usage>): SessionFacts["usage"] {
	return { input, output, cacheRead, cacheWrite, cost: cost.total };
}

/** An agent as clients see it. */
export function agentFacts(info: AgentInfo): AgentFacts {
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
