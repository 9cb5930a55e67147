/** What a client asks of a session, as an omp host can be asked for it. */
import { isRecord } from "@tau/utils/portable";

import type { WireMessage } from "../messages.ts";
import { readObject } from "../greeting.ts";
import { messageFromOmp } from "./from-omp.ts";
import { ompLimits as limits } from "./limits.ts";
import type { OmpMirror } from "./mirror.ts";

type Fields = Readonly<Record<string, unknown>>;
type GuestFrame = Fields & { readonly t: string };
type Say = (frame: GuestFrame) => void;

interface Transcript {
	readonly id: string;
	readonly agentId: string;
	readonly late: ReturnType<typeof setTimeout>;
	text: string;
}

export class GuestCommands implements Disposable {
	readonly #mirror: OmpMirror;
	readonly #mayWrite: boolean;
	readonly #say: Say;
	readonly #transcripts = new Map<number, Transcript>();
	#idleWaiters: string[] = [];
	#requests = 0;

	constructor(mirror: OmpMirror, mayWrite: boolean, say: Say) {
		this.#mirror = mirror;
		this.#mayWrite = mayWrite;
		this.#say = say;
	}

	take(line: Fields): void {
		const id = String(line.id);
		const read = reads[String(line.type)];
		if (read) return this.#answer(id, read(line, this.#mirror));
		if (line.type === "get_child_messages") return this.#fetch(id, String(line.childId));
		if (line.type === "wait_for_idle") {
			this.#idleWaiters.push(id);
			return this.onChange();
		}
		const frame = this.#frameFor(line);
		if (frame === undefined)
			return this.#refuse(id, `${String(line.type)} is not available in a room of omp`);
		if (!this.#mayWrite) return this.#refuse(id, "This collab link is read-only");
		this.#say(frame);
		const isPrompt = frame.t === "prompt";
		// omp does not say what has become of a prompt; what went wrong comes as a notice.
		this.#answer(id, isPrompt ? { disposition: this.#mirror.isIdle ? "started" : "queued" } : undefined);
	}

	/** The session may be at rest now. */
	onChange(): void {
		if (!this.#mirror.isIdle) return;
		for (const id of this.#idleWaiters.splice(0)) this.#answer(id, undefined);
	}

	onTranscript({ reqId, text, newSize, error }: Fields): void {
		const asked = this.#transcripts.get(Number(reqId));
		if (!asked) return;
		this.#transcripts.delete(Number(reqId));
		clearTimeout(asked.late);
		if (typeof error === "string") return this.#refuse(asked.id, error);
		asked.text += String(text);
		if (text === "" || typeof newSize !== "number")
			return this.#answer(asked.id, { messages: messagesIn(asked.text) });
		this.#request(asked, newSize);
	}

	[Symbol.dispose](): void {
		for (const { late } of this.#transcripts.values()) clearTimeout(late);
		this.#transcripts.clear();
	}

	#frameFor(line: Fields): GuestFrame | undefined {
		switch (line.type) {
			case "prompt":
			case "steer":
			case "follow_up": {
				const images = Array.isArray(line.images) && line.images.length > 0 ? { images: line.images } : {};
				return { t: "prompt", text: String(line.message), ...images };
			}
			case "abort":
				return { t: "abort" };
			case "prompt_child":
				return { t: "agent-cmd", cmd: "chat", agentId: line.childId, text: line.message };
			case "abort_child":
				return { t: "agent-cmd", cmd: "kill", agentId: line.childId };
			case "answer_request":
				return this.#answerFrame(line);
			default:
				return undefined;
		}
	}

	#answerFrame({ requestId, answer }: Fields): GuestFrame | undefined {
		const reqId = this.#mirror.requestNumber(String(requestId));
		if (reqId === undefined) return undefined;
		const [first]: unknown[] = isRecord(answer) && Array.isArray(answer.answers) ? answer.answers : [];
		const { chosen, text }: Fields = isRecord(first) ? first : {};
		const value: unknown = Array.isArray(chosen) && chosen.length > 0 ? chosen[0] : text;
		return { t: "ui-response", reqId, ...(typeof value === "string" ? { value } : {}) };
	}

	#fetch(id: string, agentId: string): void {
		this.#request({ id, agentId, text: "" }, 0);
	}

	#request(asked: Pick<Transcript, "id" | "agentId" | "text">, fromByte: number): void {
		const reqId = ++this.#requests;
		const late = setTimeout(() => {
			this.#transcripts.delete(reqId);
			this.#refuse(asked.id, "The host does not answer.");
		}, limits.transcriptMs);
		this.#transcripts.set(reqId, { ...asked, late });
		this.#say({ t: "fetch-transcript", reqId, agentId: asked.agentId, fromByte });
	}

	#answer(id: string, data: unknown): void {
		this.#mirror.respond({ id, ok: true, ...(data === undefined ? {} : { data }) });
	}

	#refuse(id: string, error: string): void {
		this.#mirror.respond({ id, ok: false, error });
	}
}

/** Answered from what the host has sent. */
const reads: Readonly<Record<string, (line: Fields, mirror: OmpMirror) => unknown>> = {
	get_entries({ before, since, limit }, mirror) {
		const all = mirror.branch();
		const at = all.findIndex(({ id }) => id === (before ?? since));
		const wanted = typeof before === "string" ? all.slice(0, Math.max(0, at)) : all.slice(at + 1);
		const entries = typeof limit === "number" ? wanted.slice(-limit) : wanted;
		return { entries, leafId: all.at(-1)?.id ?? null };
	},
	get_last_assistant_text: (_, mirror) => ({ text: lastText(mirror) }),
	get_children: (_, mirror) => ({ children: mirror.agents.filter(({ kind }) => kind === "sub") }),
	list_commands: () => ({ commands: [] }),
	list_requests: () => ({ requests: [] }),
	get_todos: () => ({ phases: [] }),
	get_goal: () => ({ goal: null }),
	show_components: () => undefined,
	draw_blocks: () => undefined,
	draw_for_web: () => ({}),
};

function lastText(mirror: OmpMirror): string | null {
	const answers = mirror.branch().map(({ message }) => message as WireMessage | undefined);
	const last = answers.findLast((message) => message?.role === "assistant");
	if (last?.role !== "assistant") return null;
	return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The lines of a transcript; the last one may not be complete. */
function messagesIn(text: string): WireMessage[] {
	return text.split("\n").flatMap((line) => {
		const entry = readObject(line);
		const message = entry?.type === "message" ? messageFromOmp(entry.message) : undefined;
		return message ? [message] : [];
	});
}
