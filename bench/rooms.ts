/** Shared sessions: what sealing costs, how much later a delta arrives through a relay, how soon a guest sees a long session. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";
import { startRelay } from "@tau/relay";
import {
	GroupOpener,
	GroupSealer,
	Invitations,
	newIdentity,
	readIdentity,
	readLink,
	RoomHost,
	roomTransport,
	verifier,
} from "@tau/wire/room";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";
import { appendCompaction, writeUncompactedSession } from "./uncompacted-session.ts";

/** Short rounds, of which the quickest counts: others of this machine do not. */
const frames = 200;
/** The first sixty let the engine compile what is hot. */
const sealRounds = 150;
const rounds = 5;
const probe = "zqzq";

export async function rooms(): Promise<Row[]> {
	return [...(await sealing()), await added(), await joining()];
}

/** A frame of 1 KB, sealed and signed by the host, beside what WebCrypto itself takes for both on this machine. */
async function sealing(): Promise<Row[]> {
	const { identity } = await newIdentity();
	const key = { epoch: 1, bytes: crypto.getRandomValues(new Uint8Array(32)) };
	const sealer = new GroupSealer(identity.id, identity.signer);
	await sealer.use(key);
	const bare = await crypto.subtle.importKey("raw", key.bytes, "AES-GCM", false, ["encrypt"]);
	const plain = new Uint8Array(1024);
	const iv = new Uint8Array(12);
	const times: Record<"sealed" | "opened" | "own", number[]> = { sealed: [], opened: [], own: [] };
	for (let round = 0; round < sealRounds; round++) {
		const opener = new GroupOpener(identity.id, await verifier(identity.keys.signing));
		await opener.use(key, 1);
		const bodies: Uint8Array<ArrayBuffer>[] = [];
		let from = process.cpuUsage();
		for (let seq = 1; seq <= frames; seq++) bodies.push(await sealer.seal({ stream: 1, seq }, plain));
		times.sealed.push(microseconds(from));
		from = process.cpuUsage();
		for (const [at, body] of bodies.entries())
			await opener.open({ direction: "down", stream: 1, peer: "", seq: at + 1, body });
		times.opened.push(microseconds(from));
		from = process.cpuUsage();
		for (let at = 0; at < frames; at++) {
			await crypto.subtle.sign("Ed25519", identity.signer, plain);
			await crypto.subtle.encrypt({ name: "AES-GCM", iv }, bare, plain);
		}
		times.own.push(microseconds(from));
	}
	const [sealed, opened, own] = [times.sealed, times.opened, times.own].map((each) => Math.min(...each));
	return [
		{
			name: "sealing and signing a frame of 1 KB, processor time",
			value: sealed ?? Number.NaN,
			unit: "µs",
			budget: 60,
			beside: `${((sealed ?? 0) / (own ?? 1)).toFixed(2)}x WebCrypto's own time; ${opened?.toFixed(0)} µs to open and verify`,
		},
	];
}

function microseconds(from: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(from);
	return (user + system) / frames;
}

/** From the host's hand to the guest's, through a relay of this machine. */
async function added(): Promise<Row> {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	const address = relay.url.replace("http", "ws");
	const { identity } = await newIdentity();
	const invitations = await Invitations.of(identity.id, []);
	const { secret } = await invitations.create({ name: "bench", right: "view" });
	let seq = 0;
	const line = (kind: string): string =>
		`{"epoch":"e","seq":${seq},"sessionId":"s","kind":"${kind}","body":{}}`;
	const host = new RoomHost({
		relay: address,
		identity,
		invitations,
		epoch: 0,
		hostName: "host",
		session: {
			cursor: () => ({ epoch: "e", seq }),
			admit: async () => true,
			join(_, onLines) {
				void onLines([line("snapshot")]);
				return { take() {}, resume() {}, [Symbol.dispose]() {} };
			},
		},
		events: { onState() {}, onJoined() {}, onLeft() {}, onFault() {}, onChange() {} },
	});
	await host.start();
	let arrived = Promise.withResolvers<void>();
	const joined = await roomTransport({
		link: readLink(`${address}/r/${identity.id}#${secret}`, undefined),
	}).connect(
		{ client: { id: "bench", name: "bench", kinds: [] } },
		{ signal: undefined, onLine: () => arrived.resolve(), onEnd() {} },
	);
	await arrived.promise;
	const times: number[] = [];
	for (let round = 0; round < 300; round++) {
		arrived = Promise.withResolvers();
		seq++;
		const from = performance.now();
		void host.broadcast([line("event")]);
		await arrived.promise;
		times.push(performance.now() - from);
	}
	joined[Symbol.dispose]();
	await host.close("over", true);
	return { name: "a delta through a relay on loopback, median", value: median(times), unit: "ms", budget: 5 };
}

/** The screen has wrapped it; the host's file has it in one piece. */
async function linkOf({ project }: Home): Promise<string> {
	const stored = join(project, "../.tau/collab/rooms");
	const [file = ""] = readdirSync(stored);
	const { relay, identity, invitations } = JSON.parse(readFileSync(join(stored, file), "utf8"));
	return `${relay}/r/${(await readIdentity(identity)).id}#${invitations[0].secret}`;
}

/** The end of the conversation and the answer in progress are on the guest's screen, and keys are taken. */
async function joining(): Promise<Row> {
	const began = "It began long ago";
	await using played = await playModel({
		steps: [],
		fallback: {
			answer: { blocks: [{ text: `${began}, ${"and it goes on, ".repeat(20)}`, chunks: 20 }] },
			fault: { pauseMs: 600_000, afterChunks: 10 },
		},
	});
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	using home = homeFor(played);
	using elsewhere = homeFor(played);
	const path = join(home.project, "long.jsonl");
	const messages = 10_000;
	writeUncompactedSession(path, home.project, { messages, megabytes: 50 });
	appendCompaction(path, messages);
	await using owner = new Program({
		command: [tau, "--model", modelName, "--session", path],
		cwd: home.project,
		env: home.env,
	});
	await owner.until("played-1");
	await owner.untilTyped(probe);
	owner.type("\u0003");
	owner.type(`/collab ${relay.url.replace("http", "ws")}\r`);
	await owner.until("tau join");
	owner.type("go\r");
	await owner.until(began);
	const link = await linkOf(home);
	const times: number[] = [];
	for (let round = -1; round < rounds; round++) {
		const started = performance.now();
		await using guest = new Program({
			command: [tau, "join", link],
			cwd: elsewhere.project,
			env: elsewhere.env,
		});
		await guest.until(began);
		await guest.untilTyped(probe);
		if (round >= 0) times.push(performance.now() - started);
	}
	return {
		name: "tau join to a session of 50 MB, to the answer in progress and a key",
		value: Math.min(...times),
		unit: "ms",
		budget: 300,
		beside: `median ${median(times).toFixed(0)} ms`,
	};
}
