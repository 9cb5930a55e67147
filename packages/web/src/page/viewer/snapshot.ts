/** A branch of a shared session as the snapshot that any client draws from. */
import { isRecord } from "@tau/utils/portable";
import type { Entry, SessionFacts, SessionSnapshot } from "@tau/wire";
import { Live } from "@tau/wire/remote";
import type { ShareDocument } from "@tau/wire/share";

export interface Counted {
	readonly prompts: number;
	readonly calls: number;
	readonly cost: number;
	readonly tokens: number;
	readonly models: readonly string[];
	/** Milliseconds since 1970. */
	readonly from: number;
	readonly to: number;
}

/** From the root to this entry. */
function branchTo(entries: readonly Entry[], leafId: string | null): Entry[] {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const branch: Entry[] = [];
	for (let entry = byId.get(leafId ?? ""); entry; entry = byId.get(entry.parentId ?? "")) branch.push(entry);
	return branch.toReversed();
}

/** The end of the newest branch that goes through this entry. */
export function leafBelow(entries: readonly Entry[], id: string): string {
	const below = new Set([id]);
	let leaf = id;
	// Children come after their parents.
	for (const entry of entries) {
		if (entry.parentId === null || !below.has(entry.parentId)) continue;
		below.add(entry.id);
		leaf = entry.id;
	}
	return leaf;
}

export function snapshotOf(
	{ session, entries, agents }: ShareDocument,
	leafId: string | null,
): SessionSnapshot {
	const branch = branchTo(entries, leafId);
	const { cost, models } = counted(entries);
	const facts: SessionFacts = {
		session: {
			id: session.id,
			cwd: session.cwd,
			isTrusted: false,
			...(session.name === undefined ? {} : { name: session.name }),
		},
		phase: "closed",
		isCompacting: false,
		model: modelNamed(models.at(-1) ?? ""),
		thinkingLevel: "off",
		approvals: null,
		queue: { steering: [], followUp: [] },
		queueModes: { steering: "all", followUp: "all" },
		usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost },
		context: { tokens: 0, contextWindow: 0, percent: 0, exact: false },
		goal: null,
		todos: [],
		machine: null,
		agents: agents.map(({ messages: _, ...agent }) => agent),
		hiddenTools: [],
	};
	return {
		cursor: { epoch: "file", seq: 0 },
		facts,
		tail: { leafId, entries: branch, earlier: 0 },
		live: new Live().state(),
		clients: [],
	};
}

/** A file may hold anything: values that are not numbers are ignored. */
export function counted(entries: readonly Entry[]): Counted {
	let [prompts, calls, cost, tokens] = [0, 0, 0, 0];
	const models = new Set<string>();
	for (const { message } of entries) {
		if (!isRecord(message)) continue;
		if (message.role === "user") prompts++;
		if (message.role !== "assistant") continue;
		models.add(`${String(message.provider)}/${String(message.model)}`);
		if (Array.isArray(message.content))
			calls += message.content.filter((part) => isRecord(part) && part.type === "toolCall").length;
		const usage = isRecord(message.usage) ? message.usage : {};
		tokens += numberOf(usage.totalTokens);
		cost += isRecord(usage.cost) ? numberOf(usage.cost.total) : 0;
	}
	const times = entries.map(({ timestamp }) => Date.parse(timestamp)).filter((time) => !Number.isNaN(time));
	const [from = 0, to = 0] = [times[0], times.at(-1)];
	return { prompts, calls, cost, tokens, models: [...models], from, to };
}

function numberOf(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function modelNamed(name: string): SessionFacts["model"] {
	const [provider = "", ...id] = name.split("/");
	return {
		id: id.join("/"),
		name: id.join("/"),
		api: "",
		provider,
		baseUrl: "",
		reasoning: false,
		input: ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 0,
		maxTokens: 0,
	};
}
