/** The one interface through which a promise is checked, whichever client runs the session. */
import type { Home } from "./home.ts";

/** `second` sees a session that another client runs from its start; `late` joins it whenever it looks. */
export const clientNames = [
	"print",
	"json",
	"interactive",
	"rpc",
	"acp",
	"sdk",
	"pi-sdk",
	"second",
	"late",
] as const;
export type ClientName = (typeof clientNames)[number];

/** What some clients cannot do by their nature; everything else every client can. */
export type Capability =
	/** A message can be sent while a run is active. */
	| "queue"
	/** A user who can answer a request is present. */
	| "answer"
	/** Settings can be changed while the session is open. */
	| "settings"
	/** The user runs commands in the session's shell. */
	| "shell"
	/** A running command can be moved to the background. */
	| "background"
	/** A failed turn can be retried. */
	| "retry"
	/** The session can be taken back to a message. */
	| "rewind"
	/** Items are dropped from the context, and questions asked beside the conversation. */
	| "context"
	/** The session stays open after an answer. */
	| "staysOpen"
	/** The user switches tools off while the session is open. */
	| "switchTools"
	/** The session can be named while it is open. */
	| "rename"
	/** Events can be read. */
	| "events"
	/** A new session replaces the open one. */
	| "new"
	/** A compaction can be requested. */
	| "compact"
	/** The session reports its statistics. */
	| "stats"
	/** A running agent can be sent a message. */
	| "agents"
	/** Several sessions can run in one process. */
	| "sideBySide";

export interface Client {
	readonly name: ClientName;
	/** Follows a session that this client runs: what that one cannot have, it cannot have either. */
	readonly beside?: ClientName;
	/** The capabilities that this client does not have, each with the reason. */
	readonly lacks: Readonly<Partial<Record<Capability, string>>>;
	open(home: Home, options?: OpenOptions): Promise<ClientSession>;
}

export interface OpenOptions {
	/** `provider/id`. By default `played/played-1` for a new session, and what the log says for one that is resumed. */
	model?: string | undefined;
	/** The log file to resume. */
	resume?: string;
	/** Tools that are switched off from the start. */
	withoutTools?: readonly string[] | undefined;
}

export interface SessionEventFrame {
	readonly type: string;
	readonly [field: string]: unknown;
}

export interface Stats {
	userMessages: number;
	assistantMessages: number;
	inputTokens: number;
	outputTokens: number;
}

/** How a message that is sent during a run is queued. */
export type Lane = "steer" | "followUp";

export interface ClientSession extends AsyncDisposable {
	/** Sends a prompt and waits until the run has ended. */
	prompt(text: string): Promise<void>;
	/** Sends a prompt, a command or anything else a user may type, and returns once it was accepted. */
	submit(text: string): Promise<void>;
	/** Waits until nothing runs. */
	idle(): Promise<void>;
	/** Queues a message during a run. With `refusal`, waits until the user sees this reason instead. */
	queue(text: string, lane: Lane, refusal?: string): Promise<void>;
	/** Sends a running agent a message. With `refusal`, waits until the user sees this reason instead. */
	promptAgent(id: string, text: string, refusal?: string): Promise<void>;
	setModel(id: string): Promise<void>;
	setThinking(level: string): Promise<void>;
	setName(name: string): Promise<void>;
	setSetting(path: string, value: boolean | number | string): Promise<void>;
	switchOff(tool: string): Promise<void>;
	/** Runs a command as the user's `!` does and waits for its end. */
	shell(command: string): Promise<void>;
	/** Retries a failed answer, and waits until the run has ended. */
	retry(): Promise<void>;
	/** Takes the conversation and files back to before the user's last message. */
	rewind(): Promise<void>;
	/** Drops the result of a tool from the context by a word of its call. */
	dropResult(word: string): Promise<void>;
	/** Asks beside the conversation, and returns when this answer was shown. */
	aside(question: string, answer: string): Promise<void>;
	/** Moves the running command to the background. */
	background(): Promise<void>;
	/** Waits for a request with this option and chooses it. */
	answer(option: RegExp): Promise<void>;
	/** Looks the request up in the list of pending ones, and answers it by its id. */
	answerListed(option: RegExp): Promise<void>;
	/** Requests a compaction without waiting for its end. */
	compact(): Promise<void>;
	/** Aborts whatever runs, and returns when the client reports that it is idle. */
	abort(): Promise<void>;
	newSession(): Promise<void>;
	resume(file: string): Promise<void>;
	/** Continues in a copy of the session. */
	fork(): Promise<void>;
	stats(): Promise<Stats>;
	/** Writes an export and gives its text. */
	exported(): Promise<string>;
	/** The log file of the session. */
	file(): Promise<string>;
	/** Everything that was shown to the user so far, as one text. */
	shownText(): string;
	/** The events so far; empty for a client without the capability `events`. */
	readonly events: readonly SessionEventFrame[];
}

/** The capability is missing today, although nothing in the client's nature forbids it. */
export class Unsupported extends Error {}
