/** Shows a session as lines of text: what was said before, what is being said, and what is asked. */
import { ControlStripper, isRecord, oneLine, stripControls } from "@tau/utils";
import type { EventFrame, SessionView, UserRequest } from "@tau/wire";

const limits = {
	/** Entries of the conversation that a user who joins is shown. */
	pastEntries: 20,
	/** A line about a call or a notice. */
	lineChars: 200,
} as const;

export class TranscriptLines {
	readonly #write: (text: string) => void;
	#stripper = new ControlStripper();
	#atLineStart = true;

	constructor(write: (text: string) => void) {
		this.#write = write;
	}

	/** The end of the conversation, and the answer as far as it has come. */
	past({ tail, live }: SessionView): void {
		const entries = tail.entries.slice(-limits.pastEntries);
		const left = tail.earlier + tail.entries.length - entries.length;
		if (left > 0) this.line(`(${left} earlier ${left === 1 ? "entry" : "entries"})`);
		for (const { message } of entries) if (isRecord(message)) this.#message(message);
		if (live.answer) this.#text(textOf(live.answer.content));
	}

	event(event: EventFrame): void {
		switch (event.type) {
			case "message_start":
				if (event.message.role === "user") this.#message({ ...event.message });
				return;
			case "message_update":
				return this.#update(event.assistantMessageEvent);
			case "message_end":
				if (event.message.role === "assistant" && event.message.errorMessage !== undefined)
					this.line(`! ${event.message.errorMessage}`);
				return this.#endLine();
			case "tool_execution_start":
				return this.line(callLine(event.toolName, event.args));
			case "notice":
				return this.line(`! ${event.message}`);
			case "agent_end":
				return this.line("(done)");
		}
	}

	/** A line of its own, cut to a bound. */
	line(text: string): void {
		this.#endLine();
		this.#put(`${oneLine(stripControls(text), limits.lineChars)}\n`);
	}

	/** Several lines, as they are. */
	block(text: string): void {
		this.#endLine();
		this.#put(`${stripControls(text).trimEnd()}\n`);
	}

	#update(update: Extract<EventFrame, { type: "message_update" }>["assistantMessageEvent"]): void {
		if (update.type === "text_delta") this.#text(update.delta);
		if (update.type !== "text_end") return;
		this.#put(this.#stripper.end());
		this.#endLine();
	}

	#message(message: Record<string, unknown>): void {
		const text = typeof message.content === "string" ? message.content : textOf(message.content);
		if (message.role === "user") this.block(`> ${text}`);
		if (message.role !== "assistant") return;
		if (text !== "") this.block(text);
		for (const block of Array.isArray(message.content) ? message.content : [])
			if (isRecord(block) && block.type === "toolCall")
				this.line(callLine(String(block.name), isRecord(block.arguments) ? block.arguments : {}));
	}

	#text(text: string): void {
		this.#put(this.#stripper.push(text));
	}

	#endLine(): void {
		if (!this.#atLineStart) this.#put("\n");
	}

	#put(text: string): void {
		if (text === "") return;
		this.#atLineStart = text.endsWith("\n");
		this.#write(text);
	}
}

/** What a question is about, in a line for the log of the conversation. */
export function requestLine(request: UserRequest): string {
	if (request.kind === "approval") return request.title ?? `Allow ${request.call.toolName}?`;
	if (request.kind === "trust") return `Trust ${request.project}?`;
	if (request.kind === "terminal") return `${request.command} has opened a terminal.`;
	return request.kind === "questions"
		? request.questions.map(({ question }) => question).join(" ")
		: request.dialog.title;
}

function callLine(name: string, args: Readonly<Record<string, unknown>>): string {
	const first = Object.values(args).find((value) => typeof value === "string");
	return `* ${name}${first === undefined ? "" : ` ${first}`}`;
}

function textOf(content: unknown): string {
	if (!Array.isArray(content)) return "";
	return content
		.flatMap((block) => (isRecord(block) && block.type === "text" ? [String(block.text)] : []))
		.join("\n\n");
}
