/** Follows a session's events to describe its current activity briefly. */
import { oneLine, stripControls } from "@tau/utils";
import type { EventFrame, EventFrameOf, LiveState, UserRequest, WireAnswer, WireMessage } from "@tau/wire";

import { limits } from "./limits.ts";
import type { Activity } from "./views/status-lane.ts";

type AnswerUpdate = EventFrameOf<"message_update">["assistantMessageEvent"];

export class ActivityFollower {
	readonly #now: () => number;
	readonly #show: (activity: Activity | undefined) => void;
	/** By call: the tool, and when it started, without the time that the user has taken to answer. */
	readonly #running = new Map<string, { name: string; since: number }>();
	/** The pending questions, and whether the user of this screen may answer them. */
	readonly #requests = new Map<string, boolean>();
	readonly #mayAnswer: (request: Pick<UserRequest, "kind">) => boolean;
	readonly #written = new WrittenTokens();
	readonly #headline = new ThinkingHeadline();
	#since: number | undefined;
	/** Since when the user is asked. */
	#askedAt: number | undefined;
	#shown = { what: "", since: 0 };

	constructor(
		now: () => number,
		show: (activity: Activity | undefined) => void,
		mayAnswer: (request: Pick<UserRequest, "kind">) => boolean = () => true,
	) {
		this.#now = now;
		this.#show = show;
		this.#mayAnswer = mayAnswer;
	}

	onEvent(event: EventFrame): void {
		switch (event.type) {
			case "agent_start":
			case "turn_start":
				return this.#showStatus("waiting for the model");
			case "message_update":
				this.#written.add(event.assistantMessageEvent);
				return this.#showStatus(this.#speaking(event.assistantMessageEvent));
			case "message_end":
				if (event.message.role === "assistant") this.#written.finish(event.message.usage.output);
				return;
			case "tool_execution_start":
				this.#running.set(event.toolCallId, { name: event.toolName, since: this.#now() });
				return this.#showTools();
			case "tool_execution_end":
				this.#running.delete(event.toolCallId);
				return this.#running.size > 0 ? this.#showTools() : this.#showStatus("waiting for the model");
			case "request_opened":
				this.#requests.set(event.request.id, this.#mayAnswer(event.request));
				return this.#since === undefined ? undefined : this.#awaitAnswer();
			case "request_closed":
				this.#requests.delete(event.id);
				return this.#answered();
			case "auto_retry_start":
				return this.#wait(event);
			case "compaction_start":
				return this.#showStatus("compacting the conversation");
			case "handoff_start":
				return this.#showStatus("writing the handoff");
			case "auto_retry_end":
				return event.success ? undefined : this.rest();
			case "agent_end":
			case "compaction_end":
			case "handoff_end":
				return this.rest();
		}
	}

	/** A session that was working already is shown. */
	join({ answer, openArguments, calls, requests }: LiveState, messages: readonly WireMessage[]): void {
		const run = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
		for (const message of run) if (message.role === "assistant") this.#written.finish(message.usage.output);
		if (answer) this.#written.join(answer, openArguments);
		const since = this.#now();
		for (const { toolCallId, toolName: name } of calls) this.#running.set(toolCallId, { name, since });
		for (const request of requests) this.#requests.set(request.id, this.#mayAnswer(request));
		if (this.#requests.size > 0) return this.#awaitAnswer();
		if (this.#running.size > 0) return this.#showTools();
		const isAnswering = answer !== null && answer.content.length > 0;
		this.#showStatus(isAnswering ? "answering" : "waiting for the model");
	}

	/** Called when no work is running any more. */
	rest(): void {
		this.#since = undefined;
		this.#askedAt = undefined;
		this.#shown = { what: "", since: 0 };
		this.#running.clear();
		this.#requests.clear();
		this.#written.reset();
		this.#show(undefined);
	}

	#awaitAnswer(): void {
		this.#askedAt ??= this.#now();
		this.#since ??= this.#askedAt;
		const since = this.#since;
		this.#shown = { what: "answer", since };
		// Escape belongs to the dialog, which only those see who may answer.
		if (this.#requests.values().some((isOurs) => isOurs))
			this.#show({ what: "waiting for your answer", since, isInterruptible: false });
		else this.#show({ what: "waiting for the host's answer", since });
	}

	#answered(): void {
		if (this.#requests.size > 0 || this.#askedAt === undefined) return;
		const now = this.#now();
		const waited = now - this.#askedAt;
		this.#askedAt = undefined;
		// One that has started meanwhile was not held up as long.
		for (const call of this.#running.values()) call.since = Math.min(now, call.since + waited);
		if (this.#running.size > 0) this.#showTools();
	}

	/** With the seconds of the tools, and not of the whole run. */
	#showTools(): void {
		const calls = [...this.#running.values()];
		const names = [...new Set(calls.map(({ name }) => name))];
		this.#showStatus(`running ${names.join(", ")}`, Math.min(...calls.map(({ since }) => since)));
	}

	#speaking(event: AnswerUpdate): string | undefined {
		if (event.type.startsWith("thinking")) return this.#headline.after(event) ?? "thinking";
		if (event.type.startsWith("text")) return "answering";
		return event.type.startsWith("toolcall") ? "calling a tool" : undefined;
	}

	#wait({ attempt, maxAttempts, delayMs, errorMessage }: EventFrameOf<"auto_retry_start">): void {
		const now = this.#now();
		this.#since ??= now;
		this.#shown = { what: "retry", since: this.#since };
		const remark = `(attempt ${attempt} of ${maxAttempts})`;
		this.#show({ what: reasonOf(errorMessage), remark, since: this.#since, until: now + delayMs });
	}

	#showStatus(what: string | undefined, at?: number): void {
		if (what === undefined || this.#requests.size > 0) return;
		this.#since ??= this.#now();
		const since = at ?? this.#since;
		if (what === this.#shown.what && since === this.#shown.since) return;
		this.#shown = { what, since };
		this.#show({ what, since, written: () => this.#written.count });
	}
}

/** `HTTP 529: Overloaded` is for a log; a user reads `Overloaded (529).` */
function reasonOf(message: string): string {
	const text = oneLine(stripControls(message, { newline: false, tab: false }), limits.lineChars);
	const [, status, reason] = /^HTTP (\d+): (.+?)[.!]?$/.exec(text) ?? [];
	return status === undefined
		? `${text.replace(/[.!]$/, "")}${text.endsWith("?") ? "" : "."}`
		: `${reason} (${status}).`;
}

/** What the model has written in this run: estimated while it comes, counted by the provider afterwards. */
class WrittenTokens {
	#finished = 0;
	#chars = 0;

	get count(): number {
		return this.#finished + Math.round(this.#chars / limits.charsPerToken);
	}

	/** What has come of an answer before. */
	join({ content }: WireAnswer, openArguments: LiveState["openArguments"]): void {
		for (const [index, part] of content.entries()) {
			if (part.type === "text") this.#chars += part.text.length;
			else if (part.type === "thinking") this.#chars += part.thinking.length;
			else this.#chars += (openArguments[index] ?? JSON.stringify(part.arguments)).length;
		}
	}

	add(event: AnswerUpdate): void {
		if ("delta" in event) this.#chars += event.delta.length;
	}

	finish(output: number): void {
		this.#finished = output > 0 ? this.#finished + output : this.count;
		this.#chars = 0;
	}

	reset(): void {
		this.#finished = 0;
		this.#chars = 0;
	}
}

/** Some models put a headline over each step of their thinking; the last one says what they are at. */
class ThinkingHeadline {
	#text = "";
	#last: string | undefined;

	after(event: AnswerUpdate): string | undefined {
		if (event.type === "thinking_start") [this.#text, this.#last] = ["", undefined];
		if (event.type !== "thinking_delta") return this.#last;
		// Only the end can become a headline.
		this.#text = (this.#text + event.delta).slice(-limits.headlineChars);
		if (!event.delta.includes("*")) return this.#last;
		const found = /(?:^|\n)\*\*([^*\n]+)\*\*(?![\s\S]*\*\*)/.exec(this.#text)?.[1];
		if (found !== undefined) this.#last = oneLine(stripControls(found, { newline: false, tab: false }), 60);
		return this.#last;
	}
}
