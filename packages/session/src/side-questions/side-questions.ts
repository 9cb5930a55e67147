/** Questions beside the conversation: to its own model, without a trace, and to another model, whose answer comes in. */
import { charsFor, serializeConversation, shortened } from "@tau/agent";
import {
	fittingLevel,
	type AssistantMessage,
	type Context,
	type Model,
	type ThinkingLevel,
	type Usage,
} from "@tau/ai";
import { withTimeout, fill } from "@tau/utils";

import type { SessionManager } from "@tau/log";
import consult from "../prompts/consult.md" with { type: "text" };
import consultSystem from "../prompts/consult-system.md" with { type: "text" };
import secondOpinion from "../prompts/second-opinion.md" with { type: "text" };
import sideQuestion from "../prompts/side-question.md" with { type: "text" };
import type { Behavior, SessionHandle, SideTurn } from "../run/behavior.ts";
import { UserError } from "../run/user-error.ts";

export interface SideAnswer {
	text: string;
	provider: string;
	model: string;
	usage: Usage;
}

export interface SideOptions {
	signal?: AbortSignal | undefined;
	/** The answer as it arrives. */
	onText?: ((delta: string) => void) | undefined;
}

export interface ConsultOptions extends SideOptions {
	/** How much the other model thinks; by default not at all. */
	thinking?: ThinkingLevel | undefined;
}

/** The bounds of side channels, each with its reason. */
const limits = {
	/** An answer that takes longer has most likely stopped arriving. */
	answerMs: 10 * 60 * 1000,
	/** The share of another model's window that the conversation may fill; the rest is for its answer. */
	windowShare: 0.6,
	/** For a model whose window is not known. */
	unknownWindow: 100_000,
} as const;

/** The type of the message that another model's answer becomes. */
const opinionType = "second-opinion";

export class SideQuestions implements Behavior {
	readonly name = "side-channels";
	readonly #log: SessionManager;
	#handle: SessionHandle | undefined;
	#running: AbortController | undefined;

	constructor(log: SessionManager) {
		this.#log = log;
	}

	attach(handle: SessionHandle): Disposable {
		this.#handle = handle;
		return {
			[Symbol.dispose]: () => {
				this.abort();
				this.#handle = undefined;
			},
		};
	}

	/** Ends the question in progress. */
	abort(): void {
		this.#running?.abort();
	}

	/**
	 * Asks the conversation's model with the conversation's own request, so that the provider answers from its cache. Also
	 * during a run. Neither the question nor the answer becomes part of the conversation or of the log; what it cost does.
	 * Rejects with the reason why there is no answer.
	 */
	async ask(question: string, options: SideOptions = {}): Promise<SideAnswer> {
		const content = fill(sideQuestion, { question: checked(question) }).trim();
		return await this.#exclusively("btw", options, async (handle, signal) => {
			const { context, options: same } = await handle.nextRequest(signal);
			const messages: Context["messages"] = [
				...context.messages,
				{ role: "user", content, timestamp: Date.now() },
			];
			return { context: { ...context, messages }, options: same };
		});
	}

	/**
	 * Asks another model about the conversation, which it gets as text. Its answer becomes a message of the conversation
	 * that names it. During a run, the model reads it after the running tools. Rejects as `ask` does.
	 */
	async consult(model: Model, question: string, options: ConsultOptions = {}): Promise<SideAnswer> {
		const asked = checked(question);
		const reasoning = fittingLevel(model, options.thinking ?? "off");
		const answer = await this.#exclusively("ask", options, async (handle, signal) => {
			const { context } = await handle.nextRequest(signal);
			const chars = charsFor((model.contextWindow || limits.unknownWindow) * limits.windowShare);
			const conversation = shortened(serializeConversation(context.messages), chars);
			const content = fill(consult, { conversation, question: asked }).trim();
			return {
				model,
				options: { reasoning },
				context: {
					systemPrompt: consultSystem.trim(),
					messages: [{ role: "user", content, timestamp: Date.now() }],
				},
			};
		});
		const handle = this.#attached;
		const name = `${model.provider}/${model.id}`;
		const { text, usage } = answer;
		await handle.deliver(
			{
				role: "custom",
				customType: opinionType,
				content: fill(secondOpinion, { model: name, question: asked, answer: text }).trim(),
				display: true,
				details: { provider: model.provider, model: model.id, question: asked, usage },
				timestamp: Date.now(),
			},
			handle.signal ? "steer" : "append",
		);
		return answer;
	}

	get #attached(): SessionHandle {
		if (!this.#handle) throw new UserError("The session has been closed.");
		return this.#handle;
	}

	async #exclusively(
		kind: "btw" | "ask",
		{ signal, onText }: SideOptions,
		prepare: (handle: SessionHandle, signal: AbortSignal) => Promise<Omit<SideTurn, "signal" | "onText">>,
	): Promise<SideAnswer> {
		const handle = this.#attached;
		if (this.#running)
			throw new UserError("Another side question is being answered. Wait for it, or stop it.");
		const running = new AbortController();
		this.#running = running;
		try {
			using deadline = withTimeout(
				AbortSignal.any([running.signal, ...(signal ? [signal] : [])]),
				limits.answerMs,
				"the answer took too long",
			);
			const request = await prepare(handle, deadline.signal);
			const answer = await handle.sideTurn({ ...request, signal: deadline.signal, onText });
			this.#pay(kind, handle, answer);
			return answerOf(answer);
		} finally {
			this.#running = undefined;
		}
	}

	#pay(kind: string, handle: SessionHandle, answer: AssistantMessage): void {
		const { provider, model, usage } = answer;
		if (usage.totalTokens === 0) return;
		handle.recordUsage(kind, answer);
		// A session that was left in the meantime does not pay for another one.
		if (this.#handle === handle) this.#log.appendUsage(kind, provider, model, usage);
	}
}

function checked(question: string): string {
	const text = question.trim();
	if (text === "") throw new UserError("The question is empty.");
	return text;
}

function answerOf({
	content,
	stopReason,
	errorMessage,
	provider,
	model,
	usage,
}: AssistantMessage): SideAnswer {
	if (stopReason === "aborted") throw new UserError("The question was cancelled.");
	if (stopReason === "error") throw new UserError(errorMessage ?? "The model gave no answer.");
	const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
	if (text.trim() !== "") return { text, provider, model, usage };
	const calls = content.flatMap((block) => (block.type === "toolCall" ? [block.name] : []));
	throw new UserError(
		calls.length > 0
			? `The model wanted to call ${calls.join(", ")} instead of answering. Side questions have no tools: ask it in the conversation.`
			: "The model gave no answer.",
	);
}
