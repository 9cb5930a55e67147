/** Several clients on one session: each gets every event, in one order, and none holds up another. */
import { describe, expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import {
	ComponentOutbox,
	frameLimits,
	noComponentValues,
	type ComponentView,
	type EventFrame,
	type Right,
	frameHead,
} from "@tau/wire";

import { FarClient } from "../../../../../test/support/far-client.ts";
import { testHost, type TestHostOptions } from "../../../../../test/support/host.ts";
import { testModel } from "../../../../../test/support/session.ts";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "../../run/behavior.ts";
import { factsOfSession, liveFacts } from "./facts.ts";

async function open(scenario: Scenario, options: TestHostOptions = {}) {
	const played = await playModel(scenario);
	const host = await testHost(testModel({ baseUrl: played.anthropicUrl }), options);
	return {
		host,
		played,
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await played[Symbol.asyncDispose]();
		},
	};
}

/** Until everything that waits was numbered and sent. */
async function sent(): Promise<void> {
	await Bun.sleep(2 * frameLimits.batchMs);
}

/** What the host has, as a replica holds it. */
function ofHost(host: Awaited<ReturnType<typeof open>>["host"]) {
	const branch = host.log.getBranch().map((entry) => ({ ...entry }));
	return JSON.parse(
		JSON.stringify({
			facts: factsOfSession(host),
			branch,
			leaf: host.log.getLeafId(),
			live: host.clients.live?.state(),
		}),
	);
}

function ofReplica({ replica }: FarClient) {
	const { facts, tail, live } = replica;
	expect(tail.earlier).toBe(0);
	return JSON.parse(JSON.stringify({ facts, branch: tail.entries, leaf: tail.leafId, live: live.state() }));
}

const long = "word ".repeat(4000);

describe("a client that never reads", () => {
	test("costs no memory for what extensions draw, and is sent the latest of it", async () => {
		await using on = await open({ steps: [] });
		using slow = new FarClient(on.host);
		await sent();
		slow.isStuck = true;
		const outbox = new ComponentOutbox();
		const frame = (at: number): ComponentView => ({
			id: "one",
			slot: "aboveEditor",
			width: 80,
			rows: Array.from({ length: 50 }, (_, row) => `frame ${at} row ${row}`),
		});
		const before = slow.bytes;
		for (let at = 0; at <= 10_000; at++) {
			outbox.set([frame(at)], noComponentValues);
			slow.attached.showComponents(outbox);
		}
		await sent();
		slow.read();
		await sent();
		expect(slow.replica.components.views.get("one")).toEqual(frame(10_000));
		// The first, and then the difference to the last.
		expect(slow.bytes - before).toBeLessThan(10_000);
	});

	test("stops neither the run nor another client, and gets a snapshot when it reads again", async () => {
		await using on = await open({ steps: [long, long, "Done."] });
		using slow = new FarClient(on.host);
		using quick = new FarClient(on.host);
		slow.isStuck = true;
		const seen: EventFrame[] = [];
		quick.replica.subscribe((event) => void seen.push(event));
		for (const text of ["one", "two", "three"]) {
			await on.host.submit({ text });
			await on.host.waitForIdle();
		}
		// More than is kept for it.
		for (let at = 0; at < 6; at++)
			on.host.record({ role: "user", content: "x".repeat(1024 * 1024), timestamp: at });
		await sent();
		expect(seen.filter(({ type }) => type === "agent_end")).toHaveLength(3);
		expect(ofReplica(quick)).toEqual(ofHost(on.host));
		expect(slow.snapshots).toBe(1);
		// What waits for it is no more than its share of what is kept for all.
		expect(slow.bytes).toBeLessThan(frameLimits.queueBytes);
		slow.read();
		await sent();
		expect(slow.snapshots).toBe(2);
		expect(slow.replica.tail.leafId).toBe(on.host.log.getLeafId());
		expect(JSON.stringify(slow.replica.facts)).toBe(JSON.stringify(factsOfSession(on.host)));
	});

	test("in this process holds up the run only when it has left many events unread", async () => {
		await using on = await open({ steps: ["One."] });
		const unread: PromiseWithResolvers<void>[] = [];
		const seen: SessionEvent["type"][] = [];
		on.host.attach({
			onEvent: () => {
				const reading = Promise.withResolvers<void>();
				unread.push(reading);
				return reading.promise;
			},
		});
		on.host.attach({ onEvent: ({ type }) => void seen.push(type) });
		await on.host.submit({ text: "hi" });
		await on.host.waitForIdle();
		expect(seen).toContain("agent_end");
		for (const { resolve } of unread) resolve();
	});
});

test("a client that fails is left alone, and the others are told", async () => {
	await using on = await open({ steps: ["One."] });
	const seen: SessionEvent["type"][] = [];
	on.host.attach({
		onEvent() {
			throw new Error("broken");
		},
	});
	on.host.attach({ onEvent: ({ type }) => void seen.push(type) });
	await on.host.submit({ text: "hi" });
	await on.host.waitForIdle();
	expect(seen).toContain("agent_end");
});

test("someone who joins in the middle of an answer sees what there is of it, and the rest as it comes", async () => {
	await using on = await open({
		steps: [{ answer: { blocks: [{ text: "First half, second half.", chunks: 6 }], delayMs: 30 } }],
	});
	const joined = Promise.withResolvers<FarClient>();
	on.host.attach({
		onEvent(event) {
			if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
				joined.resolve(new FarClient(on.host));
		},
	});
	void on.host.submit({ text: "hi" });
	using far = await joined.promise;
	await sent();
	const { answer } = far.replica.live;
	expect(JSON.stringify(answer ?? far.replica.tail.entries.at(-1))).toContain("Fir");
	await on.host.waitForIdle();
	await sent();
	expect(ofReplica(far)).toEqual(ofHost(on.host));
});

test("a connection that breaks continues where it was; one that was away for too long starts anew", async () => {
	await using on = await open({ steps: ["One.", "Two."] });
	using far = new FarClient(on.host);
	await sent();
	expect(far.snapshots).toBe(1);
	far.leave();
	await on.host.submit({ text: "one" });
	await on.host.waitForIdle();
	await sent();
	far.join();
	await sent();
	expect(far.snapshots).toBe(1);
	expect(ofReplica(far)).toEqual(ofHost(on.host));
	far.leave();
	far.join({ epoch: "another host", seq: 1 });
	await sent();
	expect(far.snapshots).toBe(2);
});

test("a move to another session or branch reaches every client", async () => {
	await using on = await open({ steps: ["One.", "Two."] });
	using far = new FarClient(on.host);
	const events: EventFrame[] = [];
	far.replica.subscribe((event) => void events.push(event));
	await on.host.submit({ text: "one" });
	await on.host.waitForIdle();
	const [first] = on.host.log.getBranch();
	await on.host.move({ to: "branch", change: () => on.host.log.branch(first?.id ?? "") });
	await sent();
	expect(ofReplica(far)).toEqual(ofHost(on.host));
	await on.host.move({ to: "new" });
	await sent();
	expect(events.filter(({ type }) => type === "session_moved")).toMatchObject([
		{ reason: "branch" },
		{ reason: "new", sessionId: on.host.log.getSessionId() },
	]);
	expect(ofReplica(far)).toEqual(ofHost(on.host));
});

test("a label, a name, a goal and the user's commands are events for everybody", async () => {
	await using on = await open({ steps: ["One."] });
	using far = new FarClient(on.host);
	const events: EventFrame[] = [];
	far.replica.subscribe((event) => void events.push(event));
	await on.host.submit({ text: "one" });
	await on.host.waitForIdle();
	await on.host.apply({ type: "label", entryId: on.host.log.getLeafId() ?? "", label: "here" });
	await on.host.apply({ type: "name", name: "A name" });
	await on.host.apply({ type: "goal", check: "true" });
	await on.host.shell("echo out");
	await sent();
	const kinds = events.map(({ type }) => type);
	for (const kind of [
		"label_changed",
		"session_info_changed",
		"goal_changed",
		"user_command_start",
		"user_command_end",
	] as const)
		expect(kinds).toContain(kind);
	expect(far.replica.facts.session.name).toBe("A name");
	expect(ofReplica(far)).toEqual(ofHost(on.host));
});

describe("rights", () => {
	const attempts: [
		Right,
		string,
		(on: Awaited<ReturnType<typeof open>>, far: FarClient) => Promise<unknown>,
	][] = [
		["prompt", "Sending a prompt", (on, { info: by }) => on.host.submit({ text: "hi" }, { by })],
		["prompt", "Stopping", (on, { info: by }) => on.host.stop("run", by)],
		["approve", "Answering", async (on, { info: by }) => on.host.answer("1", undefined, by)],
		["control", "Changing the session", (on, { info: by }) => on.host.apply({ type: "name", name: "x" }, by)],
		["control", "Moving the session", (on, { info: by }) => on.host.move({ to: "new" }, by)],
		["control", "Running a command", (on, { info: by }) => on.host.shell("true", { by })],
		["control", "Running a cell", (on, { info: by }) => on.host.cell("1", { by })],
		["control", "Compacting", (on, { info: by }) => on.host.compact(undefined, by)],
	];
	const lower: Record<Right, Right> = {
		view: "view",
		comment: "view",
		prompt: "comment",
		approve: "prompt",
		control: "approve",
	};

	for (const [needed, what, attempt] of attempts)
		test(`${what} needs ${needed}`, async () => {
			await using on = await open({ steps: ["One."] });
			using guest = new FarClient(on.host, { name: "Guest", rights: lower[needed] });
			const tried = (async () => attempt(on, guest))();
			await expect(tried).rejects.toThrow(
				`${what} needs the right "${needed}"; Guest has "${lower[needed]}".`,
			);
		});

	test("a client that may not answer is not asked", async () => {
		await using on = await open({ steps: ["One."] });
		using viewer = new FarClient(on.host, { rights: "prompt", kinds: ["approval", "dialog"] });
		expect(viewer.info.kinds).toEqual(["approval", "dialog"]);
		expect(on.host.requests.canAsk("dialog")).toBe(false);
	});
});

test("a guest that may approve is not asked about the owner's machine, and cannot answer that", async () => {
	await using on = await open({ steps: [] });
	using ann = new FarClient(on.host, { name: "Ann", rights: "approve", kinds: ["dialog", "trust"] });
	expect(on.host.requests.canAsk("dialog")).toBe(false);
	using _owner = new FarClient(on.host, { kinds: ["dialog"] });
	const dialog = { method: "confirm", title: "Sure?", message: "" } as const;
	const asked = on.host.requests.ask("dialog", { dialog });
	const [request] = on.host.requests.pending;
	expect(() => on.host.answer(request?.id ?? "", { confirmed: true }, ann.info)).toThrow(
		'Answering needs the right "control"; Ann has "approve".',
	);
	on.host.answer(request?.id ?? "", undefined);
	expect(await asked).toBeUndefined();
});

test("what a guest writes is what the model and everybody else reads", async () => {
	await using on = await open({ steps: ["One."] });
	using ann = new FarClient(on.host, { name: "Ann", rights: "prompt" });
	await on.host.submit(
		{ text: "delete everything", userText: "hello", invocation: "/hello" },
		{ by: ann.info },
	);
	await on.host.waitForIdle();
	const [entry] = on.host.log.getBranch();
	expect(JSON.stringify(entry)).toContain("delete everything");
	expect(JSON.stringify(entry)).not.toContain("hello");
});

test("members of a room get frames that are sent once for all, and by themselves only what they lack", async () => {
	await using on = await open({ steps: ["One.", "Two.", "Three."] });
	const sentToAll: string[] = [];
	using room = on.host.broadcast({
		sessionId: on.host.log.getSessionId(),
		onLines: (lines) => void sentToAll.push(...lines),
		hostName: "Bob",
	});
	const alone: string[] = [];
	using member = on.host.attach({
		name: "Ann",
		rights: "view",
		room,
		onLines: (lines) => void alone.push(...lines),
	});
	await sent();
	expect(alone).toHaveLength(1);
	await on.host.submit({ text: "one" });
	await on.host.waitForIdle();
	await sent();
	expect(alone).toHaveLength(1);
	const seqs = sentToAll.map((line) => frameHead(line)?.seq);
	expect(seqs).toEqual(seqs.toSorted((one, two) => (one ?? 0) - (two ?? 0)));
	expect(room.cursor.seq).toBe(seqs.at(-1) ?? -1);
	// It has lost the last three.
	member.resume({ epoch: room.cursor.epoch, seq: room.cursor.seq - 3 });
	await sent();
	expect(alone.slice(1)).toEqual(sentToAll.slice(-3));
	// Nothing of another session goes to the room.
	const before = sentToAll.length;
	await on.host.move({ to: "new" });
	await on.host.submit({ text: "private" });
	await on.host.waitForIdle();
	await sent();
	expect(sentToAll.slice(before).join("")).not.toContain("private");
	expect(alone.join("")).not.toContain("private");
});

test("who is elsewhere knows the host by its name while the session is shared", async () => {
	await using on = await open({ steps: [] });
	const lists: string[][] = [];
	using _host = on.host.attach({
		name: "terminal pts/1",
		onEvent(event) {
			if (event.type === "clients_changed") lists.push(event.clients.map(({ name }) => name));
		},
	});
	const sessionId = on.host.log.getSessionId();
	const room = on.host.broadcast({ sessionId, onLines() {}, hostName: "Bob" });
	const lines: string[] = [];
	const onLines = (more: readonly string[]): void => void lines.push(...more);
	using _guest = on.host.attach({ name: "Ann", rights: "view", room, onLines });
	await sent();
	expect(lines.join("")).toContain('"name":"Bob (terminal pts/1)"');
	room[Symbol.dispose]();
	expect(lists).toEqual([
		["Bob (terminal pts/1)"],
		["Bob (terminal pts/1)", "Ann"],
		["terminal pts/1", "Ann"],
	]);
});

test("who prompted, answered and interrupted is in the log, and the others see it", async () => {
	await using on = await open({ steps: [{ fault: { silent: true } }] });
	using ann = new FarClient(on.host, { name: "Ann", rights: "approve", kinds: ["questions"] });
	const events: SessionEvent[] = [];
	on.host.attach({ onEvent: (event) => void events.push(event) });
	await on.host.submit({ text: "from Ann" }, { by: ann.info });
	await on.played.waitForRequest(1);
	const asked = on.host.requests.ask("questions", {
		questions: [{ id: "sure", question: "Sure?", options: [], multiple: false }],
	});
	const [request] = on.host.requests.pending;
	await sent();
	expect(ann.replica.live.requests).toHaveLength(1);
	on.host.answer(request?.id ?? "", { answers: [] }, ann.info);
	expect(await asked).toEqual({ answers: [] });
	await on.host.stop("run", ann.info);
	await on.host.waitForIdle();
	const lines = on.host.log.getBranch().map((entry) => JSON.stringify(entry));
	expect(lines.some((line) => line.includes('"by":"Ann"') && line.includes("from Ann"))).toBe(true);
	expect(lines.some((line) => line.includes('"action":"answered","by":"Ann"'))).toBe(true);
	expect(lines.some((line) => line.includes('"action":"interrupted","by":"Ann"'))).toBe(true);
	expect(events).toContainEqual(expect.objectContaining({ type: "request_closed", by: "Ann" }));
	const notice = { level: "info", message: "Ann interrupted the run.", by: "Ann" } as const;
	expect(events).toContainEqual({ type: "notice", ...notice });
});

test("everybody sees who joins and who leaves", async () => {
	await using on = await open({ steps: [] });
	using ann = new FarClient(on.host, { name: "Ann" });
	const ben = new FarClient(on.host, { name: "Ben", rights: "view" });
	await sent();
	expect(ann.replica.clients.map(({ name, rights }) => `${name}: ${rights}`)).toEqual([
		"Ann: control",
		"Ben: view",
	]);
	ben.leave();
	await sent();
	expect(ann.replica.clients.map(({ name }) => name)).toEqual(["Ann"]);
});

test("a response comes after everything that the command did", async () => {
	await using on = await open({ steps: [] });
	using far = new FarClient(on.host);
	const order: string[] = [];
	far.replica.subscribe(({ type }) => void order.push(type));
	far.replica.onResponse(({ id }) => void order.push(`response ${id} ${far.replica.facts.session.name}`));
	await on.host.apply({ type: "name", name: "New" }, far.info);
	far.attached.respond({ id: "1", ok: true });
	await sent();
	expect(order.slice(-2)).toEqual(["session_info_changed", "response 1 New"]);
});

test("a long session is joined with its end; the rest is counted", async () => {
	const log = SessionManager.inMemory("/");
	const count = frameLimits.tailEntries + 100;
	for (let at = 0; at < count; at++) log.appendMessage({ role: "user", content: `${at}`, timestamp: at });
	await using on = await open({ steps: [] }, { log });
	using far = new FarClient(on.host);
	await sent();
	expect(far.replica.tail).toMatchObject({ leafId: log.getLeafId(), earlier: 100 });
	expect(far.replica.tail.entries).toHaveLength(frameLimits.tailEntries);
});

test("a session of a program that ends with its answer cannot be joined, and pays nothing for it", async () => {
	await using on = await open({ steps: [] }, { compaction: { afterAnswer: false, enabled: false } });
	expect(on.host.clients.live).toBeUndefined();
	expect(() => new FarClient(on.host)).toThrow("This session cannot be joined.");
});

test("facts that are read one by one are those that are sent", async () => {
	await using on = await open({ steps: ["One."] });
	await on.host.submit({ text: "one" });
	await on.host.waitForIdle();
	expect(JSON.stringify(liveFacts(on.host))).toBe(JSON.stringify(factsOfSession(on.host)));
});
