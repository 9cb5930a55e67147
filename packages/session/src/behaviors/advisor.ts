/** Lets a second model read each turn: it may add one remark, which the agent reads with its next request. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, Model, ToolResultMessage } from "@tau/ai";
import { cutUnits, log } from "@tau/utils";

import { userTextOf } from "@tau/log";
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import prompt from "./advisor.md" with { type: "text" };

/** A remark is short, and of a long result the beginning shows what it is. */
const limits = { remarkTokens: 400, remarkChars: 2_000, partChars: 4_000, turnChars: 40_000 } as const;

/** `model` is read for each turn; undefined while the advisor is off. */
export function advisor(model: () => Model | undefined): Behavior {
	return {
		name: "advisor",
		attach(session) {
			return session.onAfter(["turn_end"], async (event) => {
				if (session.isAborted) return;
				// An answer that ends the run has nobody to advise.
				const wanted = event.message.stopReason === "toolUse" ? model() : undefined;
				if (!wanted) return;
				const remark = await remarkOn(session, wanted, turnText(session, event.message, event.toolResults));
				if (remark === undefined || session.isAborted) return;
				const content = `<advisor>\n${remark}\n</advisor>`;
				await session.deliver(
					{ role: "custom", customType: "advisor", content, display: true, timestamp: Date.now() },
					"steer",
				);
			});
		},
	};
}

/** Undefined if there is none; a failure of the advisor never stops the agent. */
async function remarkOn(session: SessionHandle, model: Model, text: string): Promise<string | undefined> {
	try {
		const { signal } = session;
		const answer = await session.ask(
			{ systemPrompt: prompt.trim(), messages: [{ role: "user", content: text, timestamp: Date.now() }] },
			{ maxTokens: limits.remarkTokens, reasoning: "off", ...(signal ? { signal } : {}) },
			model,
		);
		session.recordUsage("advisor", answer);
		const remark = textOf(answer).trim();
		return answer.stopReason === "error" || /^(?:OK\W*)?$/i.test(remark)
			? undefined
			: cutUnits(remark, limits.remarkChars);
	} catch (error) {
		log.debug("the advisor did not answer", { reason: String(error) });
		return undefined;
	}
}

function turnText(
	{ state }: SessionHandle,
	answer: AssistantMessage,
	results: readonly ToolResultMessage[],
): string {
	const request = state.messages.findLast((message: AgentMessage) => message.role === "user");
	const calls = answer.content.flatMap((block) =>
		block.type === "toolCall" ? `called ${block.name}: ${part(JSON.stringify(block.arguments))}` : [],
	);
	const parts = [
		`User: ${request?.role === "user" ? part(userTextOf(request)) : ""}`,
		`Agent: ${part(textOf(answer))}`,
		...calls,
		...results.map(({ toolName, content, isError }) => {
			const text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
			return `${toolName} ${isError ? "failed" : "returned"}: ${part(text)}`;
		}),
	];
	return cutUnits(parts.join("\n\n"), limits.turnChars);
}

function textOf({ content }: AssistantMessage): string {
	return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
}

function part(text: string): string {
	return cutUnits(text, limits.partChars);
}
