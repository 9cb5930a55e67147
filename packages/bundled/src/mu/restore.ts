/** Gives models the whole of what mu has shortened: in every mode, and with or without mu itself. */
import type { AgentMessage } from "@tau/agent";
import type { TextContent } from "@tau/ai";
import type { ExtensionAPI, ExtensionContext, ExtensionFactory } from "@tau/extensions/api";

import { limits } from "./limits.ts";
import { markOf, storedIn, wholeContent } from "@tau/session/export";

export const muRestore: ExtensionFactory = (pi) => {
	const restorer = new Restorer(pi);
	pi.on("session_start", (_, { sessionManager }) => restorer.look(sessionManager));
	pi.on("session_tree", (_, { sessionManager }) => restorer.look(sessionManager));
	// A prompt may be running before the session has emitted its start.
	pi.on("before_agent_start", (_, { sessionManager }) => {
		if (!restorer.hasLooked) restorer.look(sessionManager);
	});
	pi.on("tool_result", ({ details }) => {
		if (markOf(details)) restorer.begin();
	});
};

type Log = ExtensionContext["sessionManager"];

/** Listens to requests only where there is something to restore: each listener costs a copy of the conversation. */
class Restorer {
	readonly #pi: ExtensionAPI;
	/** By the id of the call; the oldest goes first, and is looked up in the session when it is needed again. */
	readonly #hot = new Map<string, TextContent[] | "lost">();
	#isOn = false;
	/** Whether it is known what the session holds. */
	hasLooked = false;

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
	}

	/** Starts if the branch has a shortened result. */
	look(log: Log): void {
		if (this.#isOn) return;
		this.hasLooked = true;
		const heads = log.getBranchHeads().toReversed();
		const custom = heads.filter(({ type }) => type === "custom");
		// So many are not looked into: asking at each request is cheaper than reading them all.
		if (custom.length > limits.searchedEntries || custom.some(({ id }) => storedIn(log, id))) this.begin();
	}

	begin(): void {
		if (this.#isOn) return;
		this.#isOn = true;
		this.#pi.on("context", ({ messages }, { sessionManager }) => ({
			messages: messages.map((message) => this.#restored(message, sessionManager)),
		}));
		// What is summarized is gone for the model: the summary is made from the whole.
		this.#pi.on("session_before_compact", ({ preparation }, { sessionManager }) => {
			for (const messages of [preparation.messagesToSummarize, preparation.turnPrefixMessages])
				messages.splice(
					0,
					messages.length,
					...messages.map((message) => this.#restored(message, sessionManager)),
				);
		});
		this.#pi.on("session_before_tree", ({ preparation: { entriesToSummarize } }, { sessionManager }) => {
			for (const [at, entry] of entriesToSummarize.entries()) {
				if (entry.type !== "message") continue;
				// The entry itself is the session's.
				entriesToSummarize[at] = { ...entry, message: this.#restored(entry.message, sessionManager) };
			}
		});
	}

	#restored(message: AgentMessage, log: Log): AgentMessage {
		if (message.role !== "toolResult" || !isSummary(message.content)) return message;
		const mark = markOf(message.details);
		if (!mark) return message;
		const content = this.#hot.get(mark.toolCallId) ?? this.#find(mark.toolCallId, message.details, log);
		return content === "lost" ? message : { ...message, content };
	}

	#find(toolCallId: string, details: unknown, log: Log): TextContent[] | "lost" {
		const content = wholeContent(details, log) ?? "lost";
		if (content === "lost")
			this.#pi.logger.warn("a shortened result is not in the session any more", { toolCallId });
		this.#hot.set(toolCallId, content);
		const [oldest] = this.#hot.keys();
		if (this.#hot.size > limits.hotResults && oldest !== undefined) this.#hot.delete(oldest);
		return content;
	}
}

/** Another extension's replacement is intentional. */
function isSummary(content: readonly { type: string; text?: string }[]): boolean {
	const [only, other] = content;
	return only?.type === "text" && other === undefined && /^\(.*\)$/s.test(only.text ?? "");
}
