/** Asks the user of an MCP client, as forms: approvals, questions and dialogs of extensions. */
import { AsyncLocalStorage } from "node:async_hooks";

import { UIRequestClient, type ExtensionUI } from "@tau/extensions/ui";
import { UserRequests } from "@tau/session/host";
import type { RequestKind } from "@tau/wire";

import type { Form, FormAnswer, ServedCall } from "./served-call.ts";

type Dialogs = Pick<ExtensionUI, "select" | "confirm" | "input" | "editor">;

/** Whether code of a project may run is decided by who starts the server, not by its clients. */
const kinds: ReadonlySet<RequestKind> = new Set(["approval", "questions", "dialog"]);

/** The dialogs of a call. */
function dialogsOf(call: ServedCall): Dialogs {
	const ask = (form: Form, signal: AbortSignal | undefined): Promise<FormAnswer> => call.ask(form, signal);
	return {
		async select(title, items, { signal } = {}) {
			const options = items.map((item) => (typeof item === "string" ? item : item.label));
			const answer = await ask(formOf(title, { type: "string", title: "Answer", enum: options }), signal);
			const value = answer?.answer;
			return typeof value === "string" && options.includes(value) ? value : undefined;
		},
		async confirm(title, message, { signal } = {}) {
			const answer = await ask(formOf(`${title}\n${message}`, { type: "boolean", title: "Yes" }), signal);
			return answer?.answer === true;
		},
		input: (title, _placeholder, { signal } = {}) => text(title, undefined, signal),
		editor: (title, prefill, { signal } = {}) => text(title, prefill, signal),
	};

	async function text(
		title: string,
		prefill: string | undefined,
		signal: AbortSignal | undefined,
	): Promise<string | undefined> {
		const preset = prefill === undefined ? {} : { default: prefill };
		const answer = await ask(formOf(title, { type: "string", title: "Answer", ...preset }), signal);
		return typeof answer?.answer === "string" ? answer.answer : undefined;
	}
}

function formOf(message: string, field: Form["requestedSchema"]["properties"][string]): Form {
	return {
		message,
		requestedSchema: { type: "object", properties: { answer: field }, required: ["answer"] },
	};
}

/** The requests of a session of one call. */
export function requestsOf(call: ServedCall): UserRequests {
	const requests = new UserRequests();
	if (call.canAsk) requests.connect(clientOf(requests, () => call));
	return requests;
}

function clientOf(requests: UserRequests, callNow: () => ServedCall | undefined) {
	return {
		kinds,
		open(request: Parameters<UIRequestClient["open"]>[0], closed: AbortSignal): void {
			const call = callNow();
			if (!call) requests.answer(request.id, undefined);
			else new UIRequestClient(requests, dialogsOf(call)).open(request, closed);
		},
	};
}

const current = new AsyncLocalStorage<ServedCall>();

/** The requests of a session whose tools many calls use: each is asked of the client that made the call. */
export class CallRequests extends UserRequests {
	readonly #running = new Set<ServedCall>();

	constructor() {
		super();
		this.connect(clientOf(this, () => this.#callNow()));
	}

	override canAsk(kind: RequestKind): boolean {
		return super.canAsk(kind) && this.#callNow()?.canAsk === true;
	}

	async run<T>(call: ServedCall, work: () => Promise<T>): Promise<T> {
		this.#running.add(call);
		try {
			return await current.run(call, work);
		} finally {
			this.#running.delete(call);
		}
	}

	/** A connection that a sandboxed command opens is not made by the call's own code: it belongs to the only call, if there is one. */
	#callNow(): ServedCall | undefined {
		const call = current.getStore();
		if (call && this.#running.has(call)) return call;
		const [only, ...others] = this.#running;
		return others.length === 0 ? only : undefined;
	}
}
