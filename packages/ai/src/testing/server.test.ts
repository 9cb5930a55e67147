import { expect, test } from "bun:test";
import { connect } from "node:net";
import { playModel, type PlayedModel } from "./server.ts";
import type { Scenario, Step } from "./scenario.ts";

const question = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

function ask(played: PlayedModel, change: object = {}, init: RequestInit = {}): Promise<Response> {
	return fetch(`${played.openaiUrl}/chat/completions`, {
		method: "POST",
		body: JSON.stringify({ ...question, ...change }),
		...init,
	});
}

async function textOf(played: PlayedModel, change: object = {}): Promise<string> {
	const completion: unknown = await (await ask(played, change)).json();
	return JSON.stringify(completion).match(/"content":"(.*?)"/)?.[1] ?? JSON.stringify(completion);
}

/**
 * Sends bytes on a separate socket, more after the first answer, and returns everything until the server ends the
 * connection.
 */
function exchange(played: PlayedModel, request: string, later = ""): Promise<Buffer> {
	const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
	const parts: Buffer[] = [];
	const socket = connect(played.port, "127.0.0.1", () => socket.write(request));
	socket.on("data", (part) => parts.push(Buffer.from(part)));
	// At once: what comes after the server has closed the connection resets it, and the reply is lost.
	if (later !== "") void played.waitForRequest(1).then(() => socket.write(later));
	socket.on("close", () => resolve(Buffer.concat(parts)));
	socket.on("error", reject);
	return promise;
}

function rawCall(change: object = {}, headers = ""): string {
	const body = JSON.stringify({ ...question, ...change });
	return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function bodyOf(response: Buffer): Buffer {
	return response.subarray(response.indexOf("\r\n\r\n") + 4);
}

/** The payload of a chunked body, also when it was cut. */
function dechunk(body: Buffer): Buffer {
	const parts: Buffer[] = [];
	for (let at = 0; at < body.length;) {
		const lineEnd = body.indexOf("\r\n", at);
		const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
		parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
		at = lineEnd + 2 + size + 2;
	}
	return Buffer.concat(parts);
}

test("steps are used in order, one per request, and the last may repeat", async () => {
	await using played = await playModel({
		steps: ["one", { answer: "two", times: 2 }, { answer: "more", times: "always" }],
	});
	const replies: string[] = [];
	for (let call = 0; call < 5; call++) replies.push(await textOf(played));
	expect(replies).toEqual(["one", "two", "two", "more", "more"]);
});

test("a step that matches a request gets it, and the others keep their order", async () => {
	const steps: Step[] = [
		{ answer: "first" },
		{ when: { bodyContains: "special" }, answer: "for you" },
		{ when: { request: 3 }, answer: "third" },
		{ when: { protocol: "anthropic-messages" }, answer: "never" },
		{ when: { path: "/v1/messages" }, answer: "never" },
		{ answer: "second" },
	];
	await using played = await playModel({ steps, fallback: "over" });
	expect(await textOf(played, { user: "special" })).toBe("for you");
	expect(await textOf(played)).toBe("first");
	expect(await textOf(played)).toBe("third");
	expect(await textOf(played, { user: "special" })).toBe("second");
	expect(await textOf(played)).toBe("over");
	expect(await textOf(played)).toBe("over");
});

test("a request after the end of the script is refused with a message", async () => {
	await using played = await playModel({ steps: [] });
	const response = await ask(played);
	expect(response.status).toBe(400);
	expect(await response.text()).toContain("no step left for request 1 (POST /v1/chat/completions)");
});

test("another scenario can be set while the server runs", async () => {
	await using played = await playModel({ steps: ["old", "never heard"] });
	expect(await textOf(played)).toBe("old");
	played.setScenario({ steps: [{ when: { request: 1 }, answer: "new" }] });
	expect(await textOf(played)).toBe("new");
});

test("an invalid scenario is reported at once, with the path", async () => {
	const scenario: Scenario = { steps: [{ fault: { tornAtByte: 1 } }] };
	await expect(playModel(scenario)).rejects.toThrow("bad scenario: steps[0] needs an answer");
});

test.each([0, 1, 97, 500, 100_000])(
	"a stream cut at byte %d gives exactly that much of it",
	async (tornAtByte) => {
		const answer = { blocks: [{ text: "日本語 😀 ".repeat(40), chunks: 40 }], id: "fixed" };
		const again = { answer, fault: { tornAtByte } };
		await using played = await playModel({ steps: [{ answer }, again] });
		const call = rawCall({ stream: true }, "connection: close\r\n");
		const withoutTime = (body: Buffer) => body.toString("latin1").replace(/"created":\d*/g, "");
		const whole = dechunk(bodyOf(await exchange(played, call)));
		const torn = bodyOf(await exchange(played, call));
		expect(torn.toString("latin1")).not.toContain("\r\n0\r\n\r\n");
		const got = dechunk(torn);
		expect(got.length).toBe(Math.min(tornAtByte, whole.length));
		expect(withoutTime(got)).toBe(withoutTime(whole.subarray(0, tornAtByte)));
		expect(played.requests[1]?.aborted).toBe(false);
	},
);

test("a non-streamed answer is cut at the byte as well", async () => {
	await using played = await playModel({ steps: [{ answer: "hello", fault: { tornAtByte: 10 } }] });
	const response = await exchange(played, rawCall());
	expect(Number(response.toString().match(/content-length: (\d+)/)?.[1])).toBeGreaterThan(10);
	expect(bodyOf(response)).toHaveLength(10);
});

test("pipelined requests on one connection are answered in order", async () => {
	await using played = await playModel({
		steps: ["one", { answer: "two", fault: { pauseMs: 5, afterChunks: 0 } }, "three"],
	});
	const calls = rawCall() + rawCall({ stream: true }) + rawCall({}, "connection: close\r\n");
	const replies = (await exchange(played, calls)).toString();
	const places = ["one", "two", "three"].map((word) => replies.indexOf(`"content":"${word}"`));
	expect(places).toEqual(places.toSorted((a, b) => a - b));
	expect(places[0]).toBeGreaterThan(0);
	expect(played.requests).toHaveLength(3);
});

test("input that is not HTTP is refused after earlier requests were answered, and later input is ignored", async () => {
	const answer = { blocks: [{ text: "hello", chunks: 2 }] };
	await using played = await playModel({
		steps: [{ answer, fault: { pauseMs: 20, afterChunks: 1 } }, "never"],
	});
	const replies = (
		await exchange(played, `${rawCall({ stream: true })}nonsense\r\n\r\n`, rawCall())
	).toString();
	expect(replies).toContain("data: [DONE]");
	expect(replies).toContain("HTTP/1.1 400 ");
	expect(replies).toEndWith("this is not an HTTP/1.1 request\n");
	expect(played.requests).toHaveLength(1);
});

test("received requests are recorded with headers, body and times", async () => {
	await using played = await playModel({ steps: [{ answer: "a", times: "always" }] });
	await textOf(played, { user: "日本" });
	await ask(played, {}, { headers: { "X-Trace": "7" } });
	const first = await played.waitForEnd(1);
	const second = await played.waitForEnd(2);
	expect(first).toMatchObject({ number: 1, method: "POST", path: "/v1/chat/completions", aborted: false });
	expect(first).toMatchObject({ protocol: "openai-completions", body: { ...question, user: "日本" } });
	expect(JSON.parse(first.rawBody)).toEqual(first.body);
	expect(second.headers["x-trace"]).toBe("7");
	expect(second.arrivedAt).toBeGreaterThanOrEqual(first.closedAt ?? Infinity);
});

test("a client that disconnects is noticed, also while the model is silent or slow", async () => {
	const slow: Step = { answer: { blocks: [{ text: "abc", chunks: 3 }], delayMs: 60_000 } };
	await using played = await playModel({ steps: [{ fault: { silent: true } }, slow] });
	for (const number of [1, 2]) {
		const hangUp = new AbortController();
		const pending = ask(played, { stream: true }, { signal: hangUp.signal }).then((response) =>
			response.text(),
		);
		expect(await played.waitForRequest(number)).toMatchObject({ aborted: false });
		hangUp.abort();
		await expect(pending).rejects.toThrow("aborted");
		expect(await played.waitForEnd(number)).toMatchObject({ aborted: true, closedAt: expect.any(Number) });
	}
});

test("closing ends a silent request, and no further request is served", async () => {
	const played = await playModel({ steps: [{ fault: { silent: true } }] });
	const pending = ask(played).then(
		() => "answered",
		() => "failed",
	);
	await played.waitForRequest(1);
	await played.close();
	expect(await pending).toBe("failed");
	expect(played.requests[0]?.aborted).toBe(true);
	await expect(ask(played)).rejects.toThrow();
});

test("waiting for a request that does not arrive ends with a reason", async () => {
	await using played = await playModel({ steps: [] });
	await expect(played.waitForRequest(1, { timeoutMs: 1 })).rejects.toThrow(
		"request 1 did not come within 1 ms; 0 came",
	);
	const stop = new AbortController();
	const waiting = played.waitForEnd(1, { signal: stop.signal });
	stop.abort(new Error("enough"));
	await expect(waiting).rejects.toThrow("enough");
});

test("an answer larger than the machine's buffers arrives completely", async () => {
	const text = "0123456789".repeat(2_000_000);
	await using played = await playModel({ steps: [{ answer: { blocks: [{ text, chunks: 2000 }] } }] });
	const stream = await (await ask(played, { stream: true })).text();
	const replies = [...stream.matchAll(/"delta":\{"content":"(\d+)"/g)].map((match) => match[1]);
	expect(replies).toHaveLength(2000);
	expect(replies.join("") === text).toBe(true);
});

test("chunks arrive one by one if the script sets a delay", async () => {
	const answer = { blocks: [{ text: "abc", chunks: 3 }], delayMs: 300 };
	await using played = await playModel({ steps: [{ answer }] });
	const { body } = await ask(played, { stream: true });
	if (body === null) throw new Error("no body");
	let received = "";
	for await (const part of body.pipeThrough(new TextDecoderStream())) {
		received += part;
		if (received.includes('"a"')) break;
	}
	expect(received).not.toContain('"c"');
});

test("the list of models and unknown paths look like the vendor's", async () => {
	await using played = await playModel({ steps: [] });
	const get = async (path: string, headers: Record<string, string> = {}) =>
		(await fetch(played.url + path, { headers })).json();
	const anthropic = { "anthropic-version": "2023-06-01" };
	expect(await get("/v1/models")).toMatchObject({
		object: "list",
		data: [{ id: "played-1", object: "model" }],
	});
	expect(await get("/v1/models", anthropic)).toMatchObject({ has_more: false, data: [{ type: "model" }] });
	expect(await get("/v1/nowhere")).toMatchObject({ error: { message: "Not found: GET /v1/nowhere" } });
	expect(await get("/v1/nowhere", anthropic)).toMatchObject({
		type: "error",
		error: { type: "not_found_error" },
	});
	expect(played.requests).toEqual([]);
	expect(played.others.map((other) => other.path)).toEqual([
		"/v1/models",
		"/v1/models",
		"/v1/nowhere",
		"/v1/nowhere",
	]);
});

test("a call that the vendor would refuse is refused, and uses no step", async () => {
	await using played = await playModel({ steps: ["hello"] });
	const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
		const response = await fetch(played.url + path, { method: "POST", body, headers });
		return `${response.status} ${await response.text()}`;
	};
	const anthropic = { "anthropic-version": "2023-06-01" };
	const answers = [
		await post("/v1/messages", JSON.stringify(question)),
		await post("/v1/messages", "{", anthropic),
		await post("/v1/messages", '{"model":"m","messages":[]}', anthropic),
		await post("/v1/messages", '{"model":"m","max_tokens":1,"messages":[]}', anthropic),
		await post("/v1/chat/completions", "[]"),
		await post("/v1/chat/completions", '{"model":"m"}'),
	];
	const reasons = [
		"anthropic-version",
		"not valid JSON",
		"max_tokens: Field required",
		"at least one message",
		"could not parse",
		"'messages'",
	];
	for (const [index, reason] of reasons.entries()) {
		expect(answers[index]).toStartWith("400 ");
		expect(answers[index]).toContain(reason);
	}
	expect(await textOf(played)).toBe("hello");
});
