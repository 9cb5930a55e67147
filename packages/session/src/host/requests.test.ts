/** A request to the user is pending until a client answers it, and is declined if no client can. */
import { describe, expect, test } from "bun:test";

import type { RequestKind, UserRequest } from "@tau/wire";

import { limits } from "./limits.ts";
import { UserRequests, type RequestClient } from "./requests.ts";

const question = { id: "1", question: "Which?", options: [{ label: "a" }, { label: "b" }], multiple: false };
const ask = (requests: UserRequests, options = {}) =>
	requests.ask("questions", { questions: [question] }, options);
const answers = { answers: [{ id: "1", chosen: ["a"] }] };

class Client implements RequestClient {
	readonly kinds: ReadonlySet<RequestKind>;
	readonly opened: { request: UserRequest; closed: AbortSignal }[] = [];

	constructor(...kinds: RequestKind[]) {
		this.kinds = new Set(kinds);
	}

	open(request: UserRequest, closed: AbortSignal): void {
		this.opened.push({ request, closed });
	}
}

describe("a request", () => {
	test("is declined at once if no client can show it", async () => {
		const requests = new UserRequests();
		requests.connect(new Client("dialog"));
		expect(requests.canAsk("questions")).toBe(false);
		expect(await ask(requests)).toBeUndefined();
	});

	test("is listed until it is answered, and closes for every client then", async () => {
		const requests = new UserRequests();
		const [first, second] = [new Client("questions"), new Client("questions")];
		for (const client of [first, second]) requests.connect(client);
		const asking = ask(requests);
		const [pending] = requests.pending;
		expect(pending).toMatchObject({ kind: "questions", questions: [question] });
		expect(requests.answer(pending?.id ?? "", answers)).toEqual({ ok: true });
		expect(await asking).toEqual(answers);
		expect([first, second].map(({ opened }) => opened[0]?.closed.aborted)).toEqual([true, true]);
		expect(requests.pending).toEqual([]);
		expect(requests.answer(pending?.id ?? "", answers)).toMatchObject({ ok: false });
	});

	test("stops the clock by which tools are timed, and a terminal does not", async () => {
		let now = 0;
		const requests = new UserRequests(() => now);
		requests.connect(new Client("questions", "terminal"));
		const terminal = new AbortController();
		const screen = { rows: [], cursor: { row: 0, column: 0 } };
		const working = requests.ask("terminal", { command: "vi", screen } as never, { signal: terminal.signal });
		now = 10;
		const [first, second] = [ask(requests, { id: "a" }), ask(requests, { id: "b" })];
		now = 30;
		requests.answer("a", answers);
		await first;
		now = 50;
		expect(requests.clock()).toBe(10);
		requests.answer("b", answers);
		await second;
		now = 60;
		expect(requests.clock()).toBe(20);
		terminal.abort();
		await working;
		expect(requests.clock()).toBe(20);
	});

	test("is shown to a client that connects later", async () => {
		const requests = new UserRequests();
		requests.connect(new Client("questions"));
		const asking = ask(requests);
		const late = new Client("questions");
		requests.connect(late);
		requests.answer(late.opened[0]?.request.id ?? "", answers);
		expect(await asking).toEqual(answers);
	});

	test("is declined when the last client that showed it disconnects", async () => {
		const requests = new UserRequests();
		const connection = requests.connect(new Client("questions"));
		const other = requests.connect(new Client("questions"));
		const asking = ask(requests);
		connection[Symbol.dispose]();
		expect(requests.pending).toHaveLength(1);
		other[Symbol.dispose]();
		expect(await asking).toBeUndefined();
	});

	test("is withdrawn by its signal, its timeout, and the end of the session", async () => {
		const requests = new UserRequests();
		requests.connect(new Client("questions"));
		const abort = new AbortController();
		const withdrawn = ask(requests, { signal: abort.signal });
		abort.abort();
		expect(await withdrawn).toBeUndefined();
		expect(await ask(requests, { timeoutMs: 1 })).toBeUndefined();
		const open = ask(requests);
		requests[Symbol.dispose]();
		expect(await open).toBeUndefined();
	});

	test("is announced when it opens and when it closes", async () => {
		const requests = new UserRequests();
		requests.connect(new Client("questions"));
		const events: string[] = [];
		requests.subscribe((event) => void events.push(event.type));
		const asking = ask(requests);
		requests.answer(requests.pending[0]?.id ?? "", undefined);
		expect(await asking).toBeUndefined();
		expect(events).toEqual(["request_opened", "request_closed"]);
	});
});

test("more requests than a user could answer are declined", async () => {
	const requests = new UserRequests();
	requests.connect(new Client("questions"));
	const open = Array.from({ length: limits.pendingRequests }, () => ask(requests));
	expect(await ask(requests)).toBeUndefined();
	requests[Symbol.dispose]();
	expect(await Promise.all(open)).toEqual(open.map(() => undefined));
});
