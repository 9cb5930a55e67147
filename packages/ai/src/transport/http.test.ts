/** The guarantees of the transport for a reader of an answer. */
import { expect, test } from "bun:test";

import { post, type HttpRequest } from "./index.ts";

function serve(body: string | ReadableStream): Bun.Server<undefined> {
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body) });
}

function requestTo(url: URL, signal = new AbortController().signal): HttpRequest {
	const silence = { firstEventMs: 60_000, idleMs: 60_000 };
	return { url: url.href, headers: new Headers(), body: "{}", silence, signal };
}

test("every chunk is delivered until the answer is complete", async () => {
	await using server = serve("abc");
	let received = "";
	const failed = await post(requestTo(server.url), (chunk) => {
		received += new TextDecoder().decode(chunk);
		return "complete";
	});
	expect([failed, received]).toEqual([undefined, "abc"]);
});

test("an abort by the caller is not a failure of the server", async () => {
	await using server = serve(new ReadableStream({ start: (controller) => controller.enqueue("abc") }));
	const caller = new AbortController();
	const failed = await post(requestTo(server.url, caller.signal), () => {
		caller.abort();
		return "progress";
	});
	expect(failed).toBeUndefined();
});

test("a handler that throws is a failure, not an exception", async () => {
	await using server = serve("abc");
	const failed = await post(requestTo(server.url), () => {
		throw new Error("cannot read this");
	});
	expect(failed?.message).toContain("cannot read this");
});
