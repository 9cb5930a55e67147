/** A session in lines of text: for a client without a terminal that draws, and for scripts. */
import {
	asDialogs,
	type ClientInfo,
	type Dialog,
	type EventFrame,
	type ExtensionUIResponse,
	type SessionClient,
	type UserRequest,
} from "@tau/wire";

import { requestLine, TranscriptLines } from "./transcript-lines.ts";

export interface LineModeOptions {
	client: SessionClient;
	write(text: string): void;
	/** The next line of the user; undefined at the end of the input, or when the signal aborts. */
	line(signal: AbortSignal): Promise<string | undefined>;
	/** Ends it; the session continues. */
	signal: AbortSignal;
}

type NoticeEvent = Extract<EventFrame, { type: "notice" }>;

const escape = "\u001b";
const slashCommand = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i;

/** Shows what happens and sends what is typed, until the input ends. */
export class LineMode {
	readonly #options: LineModeOptions;
	readonly #shown: TranscriptLines;
	/** The open questions that this client can answer, oldest first. */
	readonly #questions = new Map<string, Question>();

	constructor(options: LineModeOptions) {
		this.#options = options;
		this.#shown = new TranscriptLines(options.write);
	}

	async run(): Promise<void> {
		const { client, line, signal } = this.#options;
		using owned = new DisposableStack();
		this.#reset();
		owned.use(client.onReset(() => this.#reset()));
		owned.use(
			client.subscribe((event) => {
				// Checked where it was opened; the type of the event is that of all kinds at once.
				if (event.type === "request_opened") this.#open(event.request as UserRequest);
				else if (event.type === "request_closed") this.#close(event.id);
				else if (event.type !== "notice" || concerns(event, client.me)) this.#shown.event(event);
			}),
		);
		for (let text = await line(signal); text !== undefined; text = await line(signal)) {
			try {
				await this.#take(text);
			} catch (error) {
				this.#shown.line(`! ${error instanceof Error ? error.message : String(error)}`);
			}
		}
	}

	#reset(): void {
		const { view } = this.#options.client;
		this.#questions.clear();
		this.#shown.past(view);
		for (const request of view.live.requests) this.#open(request);
	}

	/** The answer to the oldest question, or else a slash command or a prompt. */
	async #take(text: string): Promise<void> {
		const { client } = this.#options;
		// Escape, as a line of its own.
		if (text.startsWith(escape) || text.trim() === "/stop") return void (await client.request("abort", {}));
		const [question] = this.#questions.values();
		if (question) return await this.#answer(question, text);
		if (text.trim() === "") return;
		const [, name, args = ""] = slashCommand.exec(text.trim()) ?? [];
		if (name !== undefined) return void this.#run(name, args);
		await client.request("prompt", { message: text, streamingBehavior: "steer" });
	}

	/** Beside what is typed meanwhile: it may ask. */
	async #run(name: string, args: string): Promise<void> {
		try {
			const { text, prefill } = await this.#options.client.request("run_command", { name, args });
			for (const part of [text, prefill]) if (part !== undefined && part !== "") this.#shown.block(part);
		} catch (error) {
			this.#shown.line(`! ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	async #answer(question: Question, text: string): Promise<void> {
		const answer = question.take(text);
		if (answer === "again") return this.#shown.line("Enter one of the numbers.");
		if (answer === "more") return this.#shown.block(question.text);
		await this.#options.client.request("answer_request", { requestId: question.id, answer });
	}

	#open(request: UserRequest): void {
		if (!this.#options.client.me.kinds.includes(request.kind) || this.#questions.has(request.id)) return;
		const question = new Question(request);
		this.#questions.set(request.id, question);
		this.#shown.line(`? ${requestLine(request)}`);
		this.#shown.block(question.text);
	}

	#close(id: string): void {
		if (this.#questions.delete(id)) this.#shown.line("(answered)");
	}
}

/** A request as one dialog after the other, each answered by a line. */
class Question {
	readonly id: string;
	readonly #dialogs: ReturnType<typeof asDialogs>;
	#dialog: Dialog | undefined;

	constructor(request: UserRequest) {
		this.id = request.id;
		this.#dialogs = asDialogs(request);
		const first = this.#dialogs.next();
		this.#dialog = first.done ? undefined : first.value;
	}

	get text(): string {
		const dialog = this.#dialog;
		if (!dialog) return "";
		const options = dialog.method === "select" ? dialog.options : [];
		const hint = dialog.method === "confirm" ? [`${dialog.message} [y/n]`] : [];
		return [dialog.title, ...options.map((option, at) => `  ${at + 1}. ${option}`), ...hint].join("\n");
	}

	/** The answer to the whole request, or what to do next. */
	take(line: string): Record<string, unknown> | "again" | "more" {
		const response = this.#response(line.trim());
		if (!response) return "again";
		const step = this.#dialogs.next(response);
		if (step.done) return { ...step.value };
		this.#dialog = step.value;
		return "more";
	}

	#response(text: string): ExtensionUIResponse | undefined {
		const dialog = this.#dialog;
		const head = { type: "extension_ui_response", id: this.id } as const;
		if (dialog?.method === "confirm") return { ...head, confirmed: /^y(?:es)?$/i.test(text) };
		if (dialog?.method !== "select") return { ...head, value: text };
		const chosen = dialog.options[Number(text) - 1];
		return chosen === undefined ? undefined : { ...head, value: chosen };
	}
}

/** Not what this client has done itself, and to a guest nothing about the host's connection. */
function concerns({ by, own }: NoticeEvent, { name, rights }: ClientInfo): boolean {
	return by !== name && (!own || rights === "control");
}
