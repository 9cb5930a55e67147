/** The lines on the socket of a session: commands are answered once, a client comes back where it was, and bounds hold. */
import { expect, test } from "bun:test";

import { detach, launchLocal, untilRow } from "./local.ts";
import { RawClient } from "./raw-client.ts";

const me = { client: { id: "raw-1", name: "a test", kinds: [] } };

test("a command that is sent again after a reconnect is answered once more, and not done again", async () => {
	await using tau = await launchLocal({ steps: ["First.", "Second.", "Third."] });
	await detach(tau, "hello");
	await untilRow(tau, ({ phase }) => phase === "idle");
	using one = new RawClient(tau, me);
	await one.until(({ kind }) => kind === "snapshot");
	one.send({ id: "p1", type: "prompt", message: "once" });
	expect(await one.answer("p1")).toMatchObject({ ok: true });
	one[Symbol.dispose]();
	using two = new RawClient(tau, me);
	two.send({ id: "p1", type: "prompt", message: "once" });
	expect(await two.answer("p1")).toMatchObject({ ok: true });
	await untilRow(tau, ({ phase }) => phase === "idle");
	two.send({ id: "s1", type: "get_session_stats" });
	expect(await two.answer("s1")).toMatchObject({ data: { userMessages: 2 } });
	expect(tau.played.requests).toHaveLength(2);
});

test("a client that comes back gets what it has missed, and no snapshot", async () => {
	await using tau = await launchLocal({ steps: ["First.", "Second."] });
	await detach(tau, "hello");
	await untilRow(tau, ({ phase }) => phase === "idle");
	using one = new RawClient(tau, me);
	const { epoch, seq } = await one.until(({ kind }) => kind === "snapshot");
	one[Symbol.dispose]();
	using other = new RawClient(tau, { client: { id: "raw-2", name: "another", kinds: [] } });
	await other.until(({ kind }) => kind === "snapshot");
	other.send({ id: "p1", type: "prompt", message: "meanwhile" });
	await other.answer("p1");
	await untilRow(tau, ({ phase }) => phase === "idle");
	using two = new RawClient(tau, { ...me, from: { epoch, seq } });
	await two.until((line) => JSON.stringify(line).includes("Second."));
	expect(two.lines.some(({ kind }) => kind === "snapshot")).toBe(false);
	const numbers = two.lines.filter(({ kind }) => kind && kind !== "response").map((line) => line.seq ?? 0);
	expect(numbers[0]).toBe((seq ?? 0) + 1);
	expect(numbers).toEqual(numbers.map((_, at) => (seq ?? 0) + 1 + at));
});

test("commands that are wrong, unknown or without an id change nothing", async () => {
	await using tau = await launchLocal({ steps: ["First."] });
	await detach(tau, "hello");
	await untilRow(tau, ({ phase }) => phase === "idle");
	using client = new RawClient(tau, me);
	client.send({ id: "a", type: "prompt" });
	expect(await client.answer("a")).toMatchObject({ ok: false });
	client.send({ id: "b", type: "promt", message: "x" });
	expect(await client.answer("b")).toMatchObject({ ok: false, error: expect.stringContaining("prompt") });
	client.send({ type: "prompt", message: "no id" });
	client.send({ id: "c", type: "set_request_kinds", kinds: ["approval"] });
	expect(await client.answer("c")).toMatchObject({ ok: false });
	client.send({ id: "d", type: "get_state" });
	expect(await client.answer("d")).toMatchObject({ ok: true, data: { phase: "idle", messageCount: 2 } });
	expect(tau.played.requests).toHaveLength(1);
});

test("an answer that is larger than a frame comes in pieces", async () => {
	await using tau = await launchLocal({
		steps: [{ answer: { blocks: [{ text: "long ".repeat(200_000), chunks: 20 }] } }],
	});
	await detach(tau, "hello");
	await untilRow(tau, ({ phase }) => phase === "idle");
	using client = new RawClient(tau, me);
	client.send({ id: "m", type: "get_messages" });
	await client.until(({ kind, body }) => kind === "blob" && body?.of === "response");
	const longest = Math.max(...client.lines.map((line) => JSON.stringify(line).length));
	expect(longest).toBeLessThanOrEqual(300 * 1024);
});
