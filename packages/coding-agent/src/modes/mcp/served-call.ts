/** One tool call of a client: while it runs it may ask the client's user, which can take several requests. */
import type {
	CallToolResult,
	ElicitRequestFormParams,
	InputResponseView,
	ServerContext,
} from "@modelcontextprotocol/server";
import type { AgentToolResult } from "@tau/agent";
import { listen, oneLine, onDispose, stripControls, timer } from "@tau/utils";

import { limits } from "./limits.ts";

export type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">;
/** The fields that the user has filled in; undefined if they declined. */
export type FormAnswer = Readonly<Record<string, unknown>> | undefined;

/** What a call has come to: its result, or a question that has to be answered first. */
export type CallStep = { kind: "done"; result: CallToolResult } | { kind: "ask"; form: Form };

interface Question {
	form: Form;
	answer(answer: FormAnswer): void;
}

export class ServedCall implements Disposable {
	readonly id = crypto.randomUUID();
	readonly tool: string;
	/** Whether the client can ask its user. */
	readonly canAsk: boolean;
	readonly #controller = new AbortController();
	readonly #questions: Question[] = [];
	readonly #result: Promise<CallToolResult>;
	#changed = Promise.withResolvers<void>();
	#context: ServerContext | undefined;
	#progress = 0;
	#reportedAt = -Infinity;
	/** The newest line that a client may see. */
	#line: string | undefined;
	#next: Disposable | undefined;
	#waiting: Disposable | undefined;

	constructor(
		tool: string,
		canAsk: boolean,
		/** Never rejects. */
		run: (call: ServedCall) => Promise<CallToolResult>,
	) {
		this.tool = tool;
		this.canAsk = canAsk;
		this.#result = run(this);
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Resolves with the result or the next question. The call belongs to this request until then. */
	async step(context: ServerContext): Promise<CallStep> {
		using _attached = this.#attach(context);
		for (;;) {
			const [question] = this.#questions;
			if (question) {
				this.#waiting = timer(limits.answerMs, () => this[Symbol.dispose]());
				return { kind: "ask", form: question.form };
			}
			const { promise: changed } = this.#changed;
			const result = await Promise.race([this.#result, changed]);
			if (result) return { kind: "done", result };
		}
	}

	/** Asks the client's user; undefined if they decline, the call ends, or the signal is aborted. */
	async ask(form: Form, signal?: AbortSignal): Promise<FormAnswer> {
		const answered = Promise.withResolvers<FormAnswer>();
		const question: Question = { form, answer: (answer) => answered.resolve(answer) };
		const stop = signal ? AbortSignal.any([this.signal, signal]) : this.signal;
		if (stop.aborted || this.#questions.length >= limits.questions) return undefined;
		using _ = listen(stop, "abort", () => answered.resolve(undefined));
		this.#questions.push(question);
		this.#wake();
		const answer = await answered.promise;
		const index = this.#questions.indexOf(question);
		if (index >= 0) this.#questions.splice(index, 1);
		return answer;
	}

	/** Answers the question of the last step; without a response it stays open, and the next step asks again. */
	answer(view: InputResponseView): void {
		this.#waiting?.[Symbol.dispose]();
		if (view.kind !== "elicit") return;
		this.#questions.shift()?.answer(view.action === "accept" ? (view.content ?? {}) : undefined);
	}

	/** Sends what a tool shows while it runs, for clients that want progress: at intervals, but always the newest. */
	report({ content }: AgentToolResult): void {
		const text = content.findLast(({ type }) => type === "text");
		const line = text?.type === "text" ? text.text.trimEnd().split("\n").at(-1) : undefined;
		if (line === undefined || line === "") return;
		this.#line = oneLine(stripControls(line), limits.progressChars);
		const waitMs = this.#reportedAt + limits.progressMs - performance.now();
		if (waitMs <= 0) this.#sendProgress();
		else this.#next ??= timer(waitMs, () => this.#sendProgress());
	}

	#sendProgress(): void {
		this.#next?.[Symbol.dispose]();
		this.#next = undefined;
		const context = this.#context;
		const token = context?.mcpReq._meta?.progressToken;
		if (!context || token === undefined || this.#line === undefined) return;
		this.#reportedAt = performance.now();
		const params = { progressToken: token, progress: ++this.#progress, message: this.#line };
		// A client that is gone is noticed by its request.
		context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
	}

	/** Ends the call: nobody waits for it any more. */
	[Symbol.dispose](): void {
		this.#waiting?.[Symbol.dispose]();
		this.#next?.[Symbol.dispose]();
		this.#controller.abort();
	}

	#attach(context: ServerContext): Disposable {
		this.#context = context;
		const owned = new DisposableStack();
		const { signal } = context.mcpReq;
		if (signal.aborted) this[Symbol.dispose]();
		owned.use(listen(signal, "abort", () => this[Symbol.dispose]()));
		owned.use(
			onDispose(() => {
				this.#context = undefined;
			}),
		);
		// After a question the call continues with another request, whose client has not seen how far it is.
		this.#sendProgress();
		return owned;
	}

	#wake(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers();
	}
}
