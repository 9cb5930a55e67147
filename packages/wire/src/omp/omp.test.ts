/** omp's dialect, against frames that the real omp 18.2.3 sent (`npm run third-party -- omp` records them). */
import { expect, test } from "bun:test";

import { FrameReader } from "../frames.ts";
import { Replica } from "../replica.ts";
import { base64url, randomBytes } from "../room/bytes.ts";
import type { RoomGuest, RoomMember } from "../room/host-peer.ts";
import type { ConnectRelay, RelayEvents } from "../room/relay-socket.ts";
import type { ConnectionEvents } from "../transport.ts";
import recorded from "./fixtures/host-frames.json" with { type: "json" };
import { ompTransport } from "./guest.ts";
import { OmpHost } from "./host.ts";
import { newOmpRoom, OmpSealer } from "./seal.ts";

const frames = recorded as unknown as readonly Readonly<Record<string, unknown>>[];
const keys = newOmpRoom();
const link = { relay: "wss://relay.test", room: keys.room, secret: keys.secret };

async function until(isTrue: () => boolean): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > deadline) throw new Error("It did not happen.");
		await Bun.sleep(1);
	}
}

/** A relay in memory with the other end in the hands of the test. */
class PlayedRelay {
	readonly sent: Readonly<Record<string, unknown>>[] = [];
	events: RelayEvents | undefined;
	readonly #sealer: OmpSealer;
	#peers: number[] = [];

	private constructor(sealer: OmpSealer) {
		this.#sealer = sealer;
	}

	static async create(): Promise<PlayedRelay> {
		return new PlayedRelay(await OmpSealer.of(keys.secret));
	}

	/** The recipients of what was sent, in order. */
	get peers(): readonly number[] {
		return this.#peers;
	}

	readonly connect: ConnectRelay = (_, __, ___, events) => {
		this.events = events;
		queueMicrotask(() => events.onOpen());
		return {
			send: async (bytes) => {
				const opened = await this.#sealer.open(bytes);
				if (!opened) return;
				this.sent.push(opened.frame);
				this.#peers.push(opened.peer);
			},
			control() {},
			[Symbol.dispose]() {},
		};
	};

	async say(frame: object, peer = 0): Promise<void> {
		this.events?.onMessage(await this.#sealer.seal(peer, frame));
	}
}

function connectionEvents(onLine: (line: string) => void, ends: (string | undefined)[]): ConnectionEvents {
	return { onLine, onEnd: (reason) => void ends.push(reason), signal: undefined };
}

/** A Tau guest that has read the first frames of the recording. */
async function guestOfOmp(count: number): Promise<{
	relay: PlayedRelay;
	replica: Replica;
	ends: (string | undefined)[];
	send: (line: object) => void;
	transport: ReturnType<typeof ompTransport>;
}> {
	const relay = await PlayedRelay.create();
	const replica = new Replica();
	const reader = new FrameReader();
	const ends: (string | undefined)[] = [];
	const take = (line: string): void => {
		const frame = reader.read(line);
		if (frame && !replica.take(frame)) throw new Error("a frame is missing");
	};
	const transport = ompTransport({ link, connect: relay.connect });
	const joining = transport.connect(
		{ client: { id: "ann", name: "Ann", kinds: [] } },
		connectionEvents(take, ends),
	);
	await until(() => relay.sent.length === 1);
	for (const frame of frames.slice(0, count)) await relay.say(frame);
	const connection = await joining;
	return { relay, replica, ends, send: (line) => void connection.send(line), transport };
}

test("a Tau guest draws what an omp host has sent: the past, a prompt with its author, thinking, a tool, the answer", async () => {
	const { relay, replica, ends, transport } = await guestOfOmp(frames.length);
	expect(relay.sent[0]).toEqual({
		t: "hello",
		proto: 3,
		name: "Ann",
		writeToken: base64url(keys.secret.slice(32)),
	});
	await until(() => ends.length === 1);
	const messages = replica.tail.entries.flatMap(({ message }) => (message ? [message] : []));
	expect(messages).toMatchObject([
		{ role: "user", content: [{ type: "text", text: "hello from the host" }] },
		{ role: "assistant", content: [{ type: "text", text: "An answer of omp." }] },
		{ role: "user", content: "hello from Tau", by: "Ann" },
		{
			role: "assistant",
			content: [{ type: "thinking" }, { type: "text" }, { type: "toolCall", name: "bash" }],
		},
		{ role: "toolResult", toolName: "bash", isError: false },
		{ role: "assistant", content: [{ type: "text", text: "An answer to Tau." }] },
	]);
	expect(replica.facts).toMatchObject({
		phase: "idle",
		model: { id: "played-1" },
		session: { name: "An answer of omp" },
	});
	expect(replica.facts.context.contextWindow).toBe(200_000);
	expect(replica.clients.map(({ name, rights }) => [name, rights])).toContainEqual(["Ann", "prompt"]);
	// omp's host has stopped, so that coming back is of no use.
	expect(ends).toEqual(["host stopped"]);
	const again = transport.connect(
		{ client: { id: "ann", name: "Ann", kinds: [] } },
		connectionEvents(() => {}, []),
	);
	expect(await again.catch((error: unknown) => String(error))).toContain("host stopped");
});

test("a Tau guest sees an answer of omp grow, and says so to nobody twice", async () => {
	const end = frames.findIndex(
		({ t, event }) =>
			t === "event" &&
			(event as { type: string }).type === "message_end" &&
			JSON.stringify(event).includes('"assistant"'),
	);
	const { replica } = await guestOfOmp(end);
	await until(() => JSON.stringify(replica.live.answer).includes("echo out of the tool"));
	expect(replica.live.answer?.content).toMatchObject([
		{ type: "thinking", thinking: "A command will tell." },
		{ type: "text", text: "Let me look." },
		{ type: "toolCall", name: "bash", arguments: { command: "echo out of the tool" } },
	]);
	expect(replica.facts.phase).toBe("running");
});

test("commands of a Tau guest become omp's frames, and what omp cannot do is refused by name", async () => {
	const { relay, replica, send } = await guestOfOmp(2);
	const answers: unknown[] = [];
	replica.onResponse((answer) => void answers.push(answer));
	send({ id: "1", type: "prompt", message: "hi" });
	send({ id: "2", type: "abort" });
	send({ id: "3", type: "prompt_child", childId: "Task1", message: "more" });
	send({ id: "4", type: "abort_child", childId: "Task1" });
	send({ id: "5", type: "set_model", provider: "p", modelId: "m" });
	send({ id: "6", type: "get_child_messages", childId: "Task1" });
	await relay.say({
		t: "ui-request",
		request: { kind: "select", reqId: 7, title: "Which?", options: ["a", { label: "b" }] },
	});
	await until(() => replica.live.requests.length === 1);
	send({
		id: "8",
		type: "answer_request",
		requestId: "omp-7",
		answer: { answers: [{ id: "omp", chosen: ["b"] }] },
	});
	await until(() => relay.sent.length === 7);
	expect(relay.sent.slice(1)).toEqual([
		{ t: "prompt", text: "hi" },
		{ t: "abort" },
		{ t: "agent-cmd", cmd: "chat", agentId: "Task1", text: "more" },
		{ t: "agent-cmd", cmd: "kill", agentId: "Task1" },
		{ t: "fetch-transcript", reqId: 1, agentId: "Task1", fromByte: 0 },
		{ t: "ui-response", reqId: 7, value: "b" },
	]);
	const line = JSON.stringify({
		type: "message",
		id: "1",
		message: { role: "user", content: "task", timestamp: 1 },
	});
	await relay.say({ t: "transcript", reqId: 1, text: `${line}\n`, newSize: line.length + 1 });
	await until(() => relay.sent.length === 8);
	await relay.say({ t: "transcript", reqId: 2, text: "", newSize: line.length + 1 });
	await relay.say({ t: "ui-request-end", reqId: 7 });
	await until(() => answers.length === 7 && replica.live.requests.length === 0);
	expect(answers).toContainEqual({
		id: "5",
		ok: false,
		error: "set_model is not available in a room of omp",
	});
	expect(answers).toContainEqual({
		id: "6",
		ok: true,
		data: { messages: [{ role: "user", content: "task", timestamp: 1 }] },
	});
});

test("a guest with a link for reading only asks the host for nothing that it would refuse", async () => {
	const relay = await PlayedRelay.create();
	const transport = ompTransport({
		link: { ...link, secret: keys.secret.slice(0, 32) },
		connect: relay.connect,
	});
	const lines: string[] = [];
	const joining = transport.connect(
		{ client: { id: "eve", name: "Eve", kinds: [] } },
		connectionEvents((line) => void lines.push(line), []),
	);
	await until(() => relay.sent.length === 1);
	expect(relay.sent[0]).toEqual({ t: "hello", proto: 3, name: "Eve" });
	for (const frame of frames.slice(0, 2)) await relay.say(frame);
	const connection = await joining;
	expect(connection.rights).toBe("view");
	void connection.send({ id: "1", type: "prompt", message: "hi" });
	expect(lines.at(-1)).toContain("This collab link is read-only");
	expect(relay.sent).toHaveLength(1);
});

test("a frame under another key ends a guest for good, and a host does not notice it", async () => {
	const relay = await PlayedRelay.create();
	const transport = ompTransport({ link, connect: relay.connect });
	const joining = transport.connect(
		{ client: { id: "a", name: "A", kinds: [] } },
		connectionEvents(() => {}, []),
	);
	await until(() => relay.sent.length === 1);
	const other = await OmpSealer.of(randomBytes(48));
	relay.events?.onMessage(await other.seal(0, { t: "welcome" }));
	expect(await joining.catch((error: unknown) => String(error))).toContain("bad key or corrupted frame");
	const { host, played, joined } = await openHost();
	played.events?.onMessage(await other.seal(1, { t: "hello", proto: 3, name: "Eve", writeToken: "x" }));
	await played.say({ t: "hello", proto: 3, name: "Ann" }, 2);
	await until(() => joined.length === 1);
	expect(joined[0]?.name).toBe("Ann");
	await host.close("over");
});

/** A host whose session only keeps what it is asked. */
async function openHost(): Promise<{
	host: OmpHost;
	played: PlayedRelay;
	joined: RoomGuest[];
	taken: object[];
	left: string[];
}> {
	const played = await PlayedRelay.create();
	const [joined, taken, left]: [RoomGuest[], object[], string[]] = [[], [], []];
	const member: RoomMember = { take: (line) => void taken.push(line), resume() {}, [Symbol.dispose]() {} };
	const host = new OmpHost({
		relay: "wss://relay.test",
		keys,
		hostName: "Host",
		connect: played.connect,
		session: { admit: async () => true, join: () => member },
		events: {
			onState() {},
			onJoined: (guest) => void joined.push(guest),
			onLeft: (guest, reason) => void left.push(`${guest.name}: ${reason ?? ""}`),
		},
	});
	await host.start();
	return { host, played, joined, taken, left };
}

test("a host lets omp guests in by their token, and refuses another version, a write without it, and a flood", async () => {
	const { host, played, joined, taken, left } = await openHost();
	await played.say({ t: "hello", proto: 2, name: "Old" }, 1);
	await until(() => played.sent.length === 2);
	expect(played.sent).toEqual([
		{ t: "error", message: "protocol mismatch: host speaks v3, guest sent v2" },
		{ t: "bye", reason: "protocol mismatch: host speaks v3, guest sent v2" },
	]);
	const writeToken = base64url(keys.secret.slice(32));
	await played.say({ t: "hello", proto: 3, name: "Ann\u001b[2J", writeToken }, 2);
	await played.say({ t: "hello", proto: 3, name: "", writeToken: base64url(randomBytes(16)) }, 3);
	await until(() => joined.length === 2);
	expect(joined.map(({ name, right }) => [name, right])).toEqual([
		["Ann [2J", "prompt"],
		["guest-3", "view"],
	]);
	await played.say({ t: "prompt", text: "hi" }, 3);
	await played.say({ t: "prompt", text: "hi" }, 2);
	await until(() => taken.length === 1 && played.sent.length === 3);
	expect(taken).toMatchObject([{ type: "prompt", message: "hi", streamingBehavior: "steer" }]);
	expect(played.sent[2]).toEqual({ t: "error", message: "prompting is disabled on a read-only link" });
	expect(played.peers[2]).toBe(3);
	for (let at = 0; at < 205; at++) await played.say({ t: "abort" }, 3);
	await until(() => left.length === 1);
	expect(left).toEqual(["guest-3: too many commands"]);
	// The relay gives numbers anew after a reconnect: the old ones have no right any more.
	played.events?.onEnd({ code: 1006, reason: "cut" });
	expect(host.guests).toEqual([]);
	await host.close("over");
	expect(host.state).toEqual({ kind: "ended", reason: "over" });
});
