/** What is being made in a session, derived from its events: by the host for those who join, and by every replica. */
import type { EventFrame, EventFrameOf } from "./events.ts";
import { frameLimits as limits } from "./frames.ts";
import type { WireAnswer } from "./messages.ts";
import type { ShownScreen, UserRequest } from "./requests.ts";
import type { LiveState, Notice, RunningCall, RunningCommand } from "./view.ts";

type Part = WireAnswer["content"][number];
type Update = EventFrameOf<"message_update">;

export class Live implements LiveState {
	answer: WireAnswer | null = null;
	openArguments: Record<number, string> = {};
	notices: readonly Notice[] = [];
	servers: LiveState["servers"] = [];
	languageServers: LiveState["languageServers"] = [];
	denied = 0;
	retry: LiveState["retry"] = null;
	readonly #calls = new Map<string, RunningCall>();
	readonly #commands = new Map<string, RunningCommand>();
	readonly #requests = new Map<string, UserRequest>();
	readonly #jobs = new Map<string, LiveState["jobs"][number]>();
	readonly #ports = new Map<number, LiveState["ports"][number]>();
	readonly #debugged = new Map<string, LiveState["debugged"][number]>();

	constructor(state?: LiveState) {
		if (state) this.#restore(state);
	}

	get calls(): readonly RunningCall[] {
		return [...this.#calls.values()];
	}

	get commands(): readonly RunningCommand[] {
		return [...this.#commands.values()];
	}

	get requests(): readonly UserRequest[] {
		return [...this.#requests.values()];
	}

	get jobs(): LiveState["jobs"] {
		return [...this.#jobs.values()];
	}

	get ports(): LiveState["ports"] {
		return [...this.#ports.values()];
	}

	get debugged(): LiveState["debugged"] {
		return [...this.#debugged.values()];
	}

	/** A copy that does not change any more. */
	state(): LiveState {
		const { answer, openArguments, calls, commands, requests, notices, jobs, ports, debugged } = this;
		const { servers, languageServers, denied, retry } = this;
		return {
			answer: answer && { ...answer, content: answer.content.map((part) => ({ ...part })) },
			openArguments: { ...openArguments },
			calls,
			commands,
			requests,
			notices,
			retry,
			jobs,
			ports,
			debugged,
			servers,
			languageServers,
			denied,
		};
	}

	apply(event: EventFrame): void {
		// The name comes from another machine: one such as `__proto__` is no event.
		if (!Object.hasOwn(handlers, event.type)) return;
		const handler = handlers[event.type] as ((live: Live, event: EventFrame) => void) | undefined;
		handler?.(this, event);
	}

	/** What belongs to a run is over; jobs, servers and open requests stay. */
	endRun(): void {
		this.answer = null;
		this.retry = null;
		this.openArguments = {};
		this.#calls.clear();
	}

	/** The session is another one. */
	move(): void {
		this.endRun();
		this.notices = [];
		this.denied = 0;
		for (const running of [this.#commands, this.#jobs, this.#ports, this.#debugged]) running.clear();
	}

	setCall(id: string, call: RunningCall | undefined): void {
		keep(this.#calls, id, call);
	}

	changeCall(id: string, change: (call: RunningCall) => RunningCall): void {
		const call = this.#calls.get(id);
		if (call) this.#calls.set(id, change(call));
	}

	setCommand(id: string, command: RunningCommand | undefined): void {
		keep(this.#commands, id, command);
	}

	setOutput(id: string, output: string): void {
		const command = this.#commands.get(id);
		if (command) this.#commands.set(id, { ...command, output: output.slice(-limits.outputChars) });
	}

	setRequest(id: string, request: UserRequest | undefined): void {
		keep(this.#requests, id, request);
	}

	setScreen(id: string, screen: ShownScreen): void {
		const request = this.#requests.get(id);
		if (request?.kind === "terminal") this.#requests.set(id, { ...request, screen });
	}

	setJob(job: LiveState["jobs"][number]): void {
		keep(this.#jobs, job.id, job.state === "running" ? job : undefined);
	}

	setPort(port: LiveState["ports"][number]): void {
		keep(this.#ports, port.port, port.state === "open" ? port : undefined);
	}

	setDebugged(program: LiveState["debugged"][number]): void {
		keep(this.#debugged, program.id, program.state === "ended" ? undefined : program);
	}

	addNotice({ level, message, by, limit }: Notice): void {
		const notice = {
			level,
			message,
			...(by === undefined ? {} : { by }),
			...(limit === undefined ? {} : { limit }),
		};
		this.notices = [...this.notices, notice].slice(-limits.notices);
	}

	/** Only the new part comes; the answer is put together here. */
	update({ assistantMessageEvent: update }: Update): void {
		const { answer } = this;
		if (!answer) return;
		const at = update.contentIndex;
		const part = answer.content[at];
		switch (update.type) {
			case "text_start":
				answer.content[at] = { type: "text", text: "" };
				return;
			case "thinking_start":
				answer.content[at] = { type: "thinking", thinking: "" };
				return;
			case "toolcall_start":
				answer.content[at] = { type: "toolCall", id: update.id, name: update.name, arguments: {} };
				this.openArguments[at] = "";
				return;
			case "toolcall_delta":
				this.openArguments[at] = (this.openArguments[at] ?? "") + update.delta;
				return;
			case "toolcall_end":
				answer.content[at] = update.toolCall;
				delete this.openArguments[at];
				return;
			default:
				if (part) grow(part, update);
		}
	}

	#restore(state: LiveState): void {
		const { answer, openArguments, notices, servers, languageServers, denied, retry } = state;
		this.answer = answer && { ...answer, content: answer.content.map((part) => ({ ...part })) };
		Object.assign(this, { openArguments: { ...openArguments }, notices, denied, retry });
		Object.assign(this, { servers, languageServers });
		for (const call of state.calls) this.#calls.set(call.toolCallId, call);
		for (const command of state.commands) this.#commands.set(command.id, command);
		for (const request of state.requests) this.#requests.set(request.id, request);
		for (const job of state.jobs) this.#jobs.set(job.id, job);
		for (const port of state.ports) this.#ports.set(port.port, port);
		for (const program of state.debugged) this.#debugged.set(program.id, program);
	}
}

type GrowingUpdate = Extract<
	Update["assistantMessageEvent"],
	{ type: "text_delta" | "text_end" | "thinking_delta" | "thinking_end" }
>;

function grow(part: Part, update: GrowingUpdate): void {
	if (part.type === "text") {
		if (update.type === "text_delta") part.text += update.delta;
		else if (update.type === "text_end") part.text = update.content;
	} else if (part.type === "thinking") {
		if (update.type === "thinking_delta") part.thinking += update.delta;
		else if (update.type === "thinking_end") part.thinking = update.content;
	}
}

function keep<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
	if (value === undefined) map.delete(key);
	else map.set(key, value);
}

type Handlers = { readonly [T in EventFrame["type"]]?: (live: Live, event: EventFrameOf<T>) => void };

const handlers: Handlers = {
	agent_start(live) {
		live.retry = null;
	},
	agent_end: (live) => live.endRun(),
	auto_retry_start(live, retry) {
		live.retry = retry;
	},
	auto_retry_end(live) {
		live.retry = null;
	},
	// Whoever joins afterwards reads why the run has ended.
	budget_exhausted: (live, { message, limit }) => live.addNotice({ level: "warning", message, limit }),
	session_moved(live, { reason }) {
		live.move();
		// Those of another session are its own; a step in the tree keeps them.
		if (reason !== "branch") live.languageServers = [];
	},
	message_start(live, { message }) {
		if (message.role !== "assistant") return;
		live.answer = { ...message, content: [] };
		live.openArguments = {};
	},
	message_update: (live, event) => live.update(event),
	message_end(live, { message }) {
		if (message.role !== "assistant") return;
		live.answer = null;
		live.openArguments = {};
	},
	tool_execution_start(live, { type: _, ...call }) {
		live.setCall(call.toolCallId, call);
	},
	tool_execution_update(live, { toolCallId, partialResult }) {
		live.changeCall(toolCallId, (call) => ({ ...call, partialResult }));
	},
	tool_execution_end: (live, { toolCallId }) => live.setCall(toolCallId, undefined),
	tool_approval_requested(live, { toolCallId }) {
		live.changeCall(toolCallId, (call) => ({ ...call, isWaiting: true }));
	},
	tool_approval_resolved(live, { toolCallId, args }) {
		live.changeCall(toolCallId, ({ isWaiting: _, ...call }) => ({ ...call, ...(args ? { args } : {}) }));
	},
	user_command_start(live, { type: _, commandId: id, ...command }) {
		live.setCommand(id, { id, ...command, output: "" });
	},
	user_command_output: (live, { commandId, output }) => live.setOutput(commandId, output),
	user_command_end: (live, { commandId }) => live.setCommand(commandId, undefined),
	// The schema of the event and the type of requests are made from the same rows.
	request_opened: (live, { request }) => live.setRequest(request.id, request as UserRequest),
	request_closed: (live, { id }) => live.setRequest(id, undefined),
	terminal_screen: (live, { id, screen }) => live.setScreen(id, screen),
	job_update: (live, event) => live.setJob(event),
	port_update: (live, event) => live.setPort(event),
	debug_update: (live, event) => live.setDebugged(event),
	sandbox_denied(live, { denials }) {
		live.denied += denials.length;
	},
	lsp_servers_change(live, { servers }) {
		live.languageServers = servers;
	},
	mcp_servers_change(live, { servers }) {
		live.servers = servers;
	},
	notice: (live, notice) => notice.passing || live.addNotice(notice),
};
