/** The session of this process as every client draws it: everything is read from the live objects when it is asked for. */
import { userTextOf, type SessionManager } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { newestTodo, todoMarks } from "@tau/tools/todo";
import { frameLimits, type Entry, type EntryTail, type SessionFacts } from "@tau/wire";

import { publicAgent } from "../session-commands/work/agents.ts";

export interface LocalFactsParts {
	readonly host: SessionHost;
	/** Whether the user trusts the project of the session of the moment. */
	isTrusted(): boolean;
}

export class LocalFacts implements SessionFacts {
	readonly #parts: LocalFactsParts;

	constructor(parts: LocalFactsParts) {
		this.#parts = parts;
	}

	get session(): SessionFacts["session"] {
		const { host, isTrusted } = this.#parts;
		const [file, name] = [host.log.getSessionFile(), host.log.getSessionName()];
		return {
			id: host.log.getSessionId(),
			...(file === undefined ? {} : { file }),
			...(name === undefined ? {} : { name }),
			cwd: host.log.getCwd(),
			// Read from a file, so only for those who ask.
			get isTrusted() {
				return isTrusted();
			},
		};
	}

	get phase(): SessionFacts["phase"] {
		return this.#parts.host.phase;
	}

	get isCompacting(): boolean {
		return this.#parts.host.session.isCompacting;
	}

	get model(): SessionFacts["model"] {
		return this.#parts.host.session.state.model;
	}

	get thinkingLevel(): SessionFacts["thinkingLevel"] {
		return this.#parts.host.session.state.thinkingLevel;
	}

	get approvals(): SessionFacts["approvals"] {
		const { policy } = this.#parts.host;
		return policy ? { mode: policy.mode, boundary: policy.boundary } : null;
	}

	get queue(): SessionFacts["queue"] {
		const { steering, followUps } = this.#parts.host.session.state;
		const texts = (messages: typeof steering): string[] =>
			messages.filter(({ role }) => role === "user").map(userTextOf);
		return { steering: texts(steering), followUp: texts(followUps) };
	}

	get queueModes(): SessionFacts["queueModes"] {
		const { steeringMode, followUpMode } = this.#parts.host.session.state;
		return { steering: steeringMode, followUp: followUpMode };
	}

	get usage(): SessionFacts["usage"] {
		const { input, output, cacheRead, cacheWrite, cost } = this.#parts.host.session.usage.totals;
		return { input, output, cacheRead, cacheWrite, cost: cost.total };
	}

	get context(): SessionFacts["context"] {
		return this.#parts.host.session.contextUsage();
	}

	get goal(): SessionFacts["goal"] {
		return this.#parts.host.work.goal ?? null;
	}

	/** Read from the lines that hold one: the conversation is not parsed for it. */
	get todos(): SessionFacts["todos"] {
		return newestTodo(this.#parts.host.log.branchMessages(todoMarks));
	}

	get agents(): SessionFacts["agents"] {
		return this.#parts.host.children.tree.all.map((info) => {
			const { elapsedMs: _, ...agent } = publicAgent(info);
			const ended = info.endedAt === undefined ? {} : { endedAt: info.endedAt };
			return { ...agent, startedAt: info.startedAt, ...ended };
		});
	}

	get hiddenTools(): SessionFacts["hiddenTools"] {
		return [...(this.#parts.host.session.tools?.hidden("user") ?? [])];
	}
}

interface LogOwner {
	readonly log: Pick<SessionManager, "getBranchHeads" | "getEntry" | "getLeafId">;
}

export class LocalTail implements EntryTail {
	readonly #from: LogOwner;
	#read: EntryTail | undefined;

	/** The log is read each time: a session that moves has another one. */
	constructor(from: LogOwner) {
		this.#from = from;
	}

	get leafId(): string | null {
		return this.#from.log.getLeafId();
	}

	get entries(): readonly Entry[] {
		return this.#current.entries;
	}

	get earlier(): number {
		return this.#current.earlier;
	}

	/** The session is another one. */
	reset(): void {
		this.#read = undefined;
	}

	get #current(): EntryTail {
		const { leafId } = this;
		if (this.#read && this.#read.leafId === leafId) return this.#read;
		const path = this.#from.log.getBranchHeads();
		const heads = path.slice(-frameLimits.tailEntries);
		const entries = lazyEntries(heads, (id) => this.#from.log.getEntry(id));
		return (this.#read = { leafId, entries, earlier: path.length - heads.length });
	}
}

/** Each entry is parsed when it is read, and not before: the end of a long session may be large. */
function lazyEntries(
	heads: readonly { readonly id: string }[],
	read: (id: string) => object | undefined,
): readonly Entry[] {
	const entries: Entry[] = [];
	for (const [index, { id }] of heads.entries())
		Object.defineProperty(entries, index, { get: () => read(id), enumerable: true, configurable: true });
	return entries;
}
