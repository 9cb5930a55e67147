/** Names a new session after its first exchange, in the background; the request is aborted when the session ends. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, Model } from "@tau/ai";
import { cutUnits, log as logger, oneLine, withTimeout, fill } from "@tau/utils";

import titleExchange from "../prompts/title-exchange.md" with { type: "text" };
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import { invocationOf, type SessionManager } from "@tau/log";

/** Requests a title from a small model. Returns undefined without such a model; `model` is the conversation's own. */
export type AskTitle = (
	exchange: string,
	model: Model,
	signal: AbortSignal,
) => Promise<AssistantMessage | undefined>;

export function sessionTitle(log: SessionManager, ask: AskTitle): Behavior {
	return {
		name: "session-title",
		attach(session) {
			using owned = new DisposableStack();
			const ended = new AbortController();
			owned.defer(() => ended.abort());
			let isWanted = !log.getHeads().some(({ type }) => type === "message" || type === "custom_message");
			owned.use(
				session.onAfter(["agent_end"], (event) => {
					if (!isWanted) return;
					const exchange = exchangeOf(event.messages);
					if (exchange === undefined) return;
					isWanted = false;
					if (log.getSessionName() === undefined) void name(session, log, exchange, ask, ended.signal);
				}),
			);
			return owned.move();
		},
	};
}

/** Never rejects: a session without a title is shown with its first words. */
async function name(
	session: SessionHandle,
	log: SessionManager,
	exchange: string,
	ask: AskTitle,
	ended: AbortSignal,
): Promise<void> {
	const id = log.getSessionId();
	try {
		using deadline = withTimeout(ended, limits.titleMs, "the title took too long");
		const answer = await ask(exchange, session.model, deadline.signal);
		if (!answer) return;
		session.recordUsage("title", answer);
		// The user may have switched to another session or named this one meanwhile.
		if (ended.aborted || log.getSessionId() !== id) return;
		const title = titleOf(answer);
		const isNamed = title === "" || log.getSessionName() !== undefined;
		const leaf = log.getLeafId();
		log.appendUsage("title", answer.provider, answer.model, answer.usage);
		if (!isNamed) log.appendSessionInfo(title);
		// Beside the conversation: extensions that look at its branch find what was said, and nothing else.
		if (leaf !== null) log.branch(leaf);
		if (isNamed) return;
		await session.emit({ type: "session_info_changed", name: title });
	} catch (error) {
		logger.warn("a session got no title", { reason: String(error) });
	}
}

/** Returns undefined if the model has not answered: then there is nothing to name yet. */
function exchangeOf(messages: readonly AgentMessage[]): string | undefined {
	const question = messages.find(({ role }) => role === "user");
	const answer = messages.findLast((message) => message.role === "assistant");
	const isAnswered = answer?.stopReason === "stop" || answer?.stopReason === "length";
	if (question?.role !== "user" || !answer || !isAnswered) return undefined;
	return fill(titleExchange, {
		request: cutUnits(invocationOf(question) ?? textOf(question.content), limits.titlePromptChars),
		answer: cutUnits(textOf(answer.content), limits.titleAnswerChars),
	});
}

function textOf(content: string | readonly { type: string; text?: string }[]): string {
	if (typeof content === "string") return content;
	return content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
}

/** Model output is untrusted: it becomes one line of clean text, without the decoration models put around a title. */
function titleOf({ stopReason, content }: AssistantMessage): string {
	if (stopReason !== "stop") return "";
	const [first = ""] = textOf(content).trim().split("\n");
	const bare = first.replaceAll(/\*\*|`/g, "").replace(/^[\s#*_"'`“‘«]*(?:title\s*:)?[\s*_"'`“‘«]*/i, "");
	return oneLine(bare.replace(/[\s*_"'`”’».]+$/, ""), limits.titleChars);
}
