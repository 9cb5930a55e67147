/** A relay: what a delivery costs, how late messages arrive, two nodes beside one, and what an idle connection takes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { TestHost } from "../test/support/relay/ends.ts";
import { TestRedis } from "../test/support/relay/redis.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";
import { cpuSeconds, ownMb, rssMb, Service, tau } from "./service.ts";

const rooms = 20;
const guestsOfRoom = 10;
const messageBytes = 512;
const roundMs = 2000;
const rounds = 8;
/** Only the calmest rounds count: on a busy machine messages wait for each other, which costs each of them less. */
const calmRounds = 3;
const warmUps = 2;
/** Messages a second of all hosts: what a core has to deliver, and half of it, at which messages have to be on time. */
const full = 5000;
const half = full / 2;
/** What is due after a longer pause of this machine is not sent: much at once would cost each message less. */
const burstMs = 5;
const idleConnections = 10_000;
/** The engine clears away what joining left within half a minute of rest. */
const idleMs = 35_000;

/** Starts a node with these variables. */
type Start = (environment?: Record<string, string>) => Promise<Service>;

export async function relays(): Promise<Row[]> {
	using owned = new DisposableStack();
	const home = mkdtempSync(join(tmpdir(), "tau-bench-relay-"));
	owned.defer(() => rmSync(home, { recursive: true, force: true }));
	// The bench stands for many addresses, so it is a proxy that says for whom it asks.
	const env = { PATH: process.env.PATH ?? "", HOME: home, TAU_RELAY_PROXIES: "127.0.0.1" };
	const start: Start = (more) => Service.start([tau, "relay", "127.0.0.1:0"], { ...env, ...more });
	const { one, two } = await deliveries(start);
	const idle = await idleNode(start);
	const rows: Row[] = [
		{
			name: "deliveries of 512 bytes for a second of CPU, at 50,000 a second",
			value: 1 / median(one.each),
			unit: "",
			budget: 50_000,
			atLeast: true,
		},
		{ name: "a message at 25,000 deliveries a second, p99", value: one.p99, unit: "ms", budget: 50 },
		{ name: "a message at rest, median", value: one.atRest, unit: "ms", budget: 5 },
		{ name: "an idle connection", value: idle.each, unit: "KB", budget: 4 },
		{
			name: "a node with 10,000 idle connections, all of its memory",
			value: idle.resident,
			unit: "MB",
			budget: 60,
			beside: `${idle.own.toFixed(0)} MB without the program's file, which nodes share`,
		},
	];
	if (two !== undefined)
		rows.push(
			{
				name: "deliveries of two nodes and Redis for a second of CPU of all three, beside one node",
				value: beside(two.each, one.each),
				unit: "x",
				budget: 0.8,
				atLeast: true,
				beside: `${(1 / median(two.each)).toFixed(0)} (${two.shares}); at half of it ${beside(two.eachAtHalf, one.eachAtHalf).toFixed(2)} x, p99 ${two.p99.toFixed(0)} ms; ${two.atRest.toFixed(1)} ms at rest`,
			},
			// Each process has a core: the busiest bounds what they deliver together.
			{
				name: "what two nodes and Redis can deliver with a core for each, beside one node",
				value: one.busiest / two.busiest,
				unit: "x",
				budget: 0.8,
				atLeast: true,
			},
		);
	return rows;
}

/** What one setup delivers for what another takes: both were measured in each round. */
function beside(these: readonly number[], those: readonly number[]): number {
	return median(these.map((each, round) => (those[round] ?? Number.NaN) / each));
}

/** Both in turn, so that what else happens on the machine concerns both. */
async function deliveries(start: Start): Promise<{ one: Delivered; two?: Delivered }> {
	await using owned = new AsyncDisposableStack();
	const one = owned.use(await Setup.start([owned.use(await start())]));
	const redis = Bun.which("redis-server") === null ? undefined : owned.use(await TestRedis.start());
	const shared = redis && { TAU_RELAY_REDIS: redis.url };
	const nodes = shared && [owned.use(await start(shared)), owned.use(await start(shared))];
	const two = redis && nodes && owned.use(await Setup.start(nodes, redis.pid));
	const setups = two ? [one, two] : [one];
	for (let round = -warmUps; round < rounds; round++)
		for (const setup of setups) await setup.measure(round >= 0);
	const lateness = (round: number): number => setups.reduce((sum, { late }) => sum + (late[round] ?? 0), 0);
	const calm = [...one.late.keys()].toSorted((a, b) => lateness(a) - lateness(b)).slice(0, calmRounds);
	return { one: await one.result(calm), ...(two && { two: await two.result(calm) }) };
}

interface Delivered {
	/** Seconds that a delivery takes of all processes together, by round. */
	each: readonly number[];
	/** The same at half of the rate, where less travels together. */
	eachAtHalf: readonly number[];
	/** Seconds that a delivery takes of the process that it takes most of. */
	busiest: number;
	/** What a delivery takes of each process. */
	shares: string;
	p99: number;
	atRest: number;
}

/** Nodes with members that talk. */
class Setup implements Disposable {
	readonly #nodes: readonly Service[];
	readonly #redis: number | undefined;
	readonly #load: Load;
	/** Of each round: what a delivery took of each node, and of Redis, in seconds of CPU. */
	readonly #costs: number[][] = [];
	readonly #costsAtHalf: number[][] = [];
	readonly #p99: number[] = [];
	/** How late messages of each round were: p99 at both rates. */
	readonly late: number[] = [];

	private constructor(nodes: readonly Service[], redis: number | undefined, load: Load) {
		this.#nodes = nodes;
		this.#redis = redis;
		this.#load = load;
	}

	static async start(nodes: readonly Service[], redis?: number): Promise<Setup> {
		return new Setup(nodes, redis, await Load.start(nodes.map(({ url }) => url)));
	}

	/** A round that does not count lets the engine compile what is hot. */
	async measure(counts: boolean): Promise<void> {
		const [costs, lateAtFull] = await this.#round(full);
		const [costsAtHalf, late] = await this.#round(half);
		if (!counts) return;
		this.#costs.push(costs);
		this.#costsAtHalf.push(costsAtHalf);
		this.#p99.push(late);
		this.late.push(lateAtFull + late);
	}

	/** What a delivery took of each process, and how late 99 of 100 were at most. */
	async #round(perSecond: number): Promise<[costs: number[], p99: number]> {
		const before = this.#cpu();
		const latencies = await this.#load.run(perSecond);
		const costs = this.#cpu().map((seconds, at) => (seconds - (before[at] ?? 0)) / latencies.length);
		const sorted = latencies.toSorted((a, b) => a - b);
		return [costs, sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN];
	}

	/** Of these rounds. */
	async result(calm: readonly number[]): Promise<Delivered> {
		const sums = (all: readonly number[][]): number[] =>
			calm.map((round) => (all[round] ?? []).reduce((sum, seconds) => sum + seconds, 0));
		const ofProcess = this.#cpu().map((_, at) =>
			median(calm.map((round) => this.#costs[round]?.[at] ?? Number.NaN)),
		);
		const shares = ofProcess.map((seconds, at) => {
			const name = at < this.#nodes.length ? `node ${at + 1}` : "Redis";
			return `${name} ${(seconds * 1e6).toFixed(1)} µs`;
		});
		return {
			each: sums(this.#costs),
			eachAtHalf: sums(this.#costsAtHalf),
			busiest: Math.max(...ofProcess),
			shares: shares.join(", "),
			p99: median(calm.map((round) => this.#p99[round] ?? Number.NaN)),
			atRest: median(await this.#load.run(10)),
		};
	}

	[Symbol.dispose](): void {
		this.#load[Symbol.dispose]();
	}

	#cpu(): number[] {
		const pids = this.#nodes.map(({ pid }) => pid);
		return [...pids, ...(this.#redis === undefined ? [] : [this.#redis])].map(cpuSeconds);
	}
}

async function idleNode(start: Start): Promise<{ each: number; own: number; resident: number }> {
	await using node = await start();
	const hosts = await Promise.all(
		Array.from({ length: idleConnections / 50 }, (_, at) => openHost([node.url], at)),
	);
	// What the first connections bring into memory is not theirs.
	const warm = await Promise.all(
		Array.from({ length: 200 }, (_, at) => guest(node.url, hosts[at % 10]?.room ?? "", at)),
	);
	for (const socket of warm) socket.close();
	await Bun.sleep(2000);
	const before = ownMb(node.pid);
	const sockets: WebSocket[] = [];
	for (const [at, host] of hosts.entries()) {
		const group = Array.from({ length: 50 }, (_, each) => guest(node.url, host.room, at * 50 + each));
		sockets.push(...(await Promise.all(group)));
	}
	await Bun.sleep(idleMs);
	const own = ownMb(node.pid);
	const resident = rssMb(node.pid);
	for (const socket of sockets) socket.close();
	for (const host of hosts) host.stop();
	return { each: ((own - before) * 1024) / sockets.length, own, resident };
}

class Load implements Disposable {
	readonly #hosts: TestHost[];
	readonly #sockets: WebSocket[] = [];
	#latencies: number[] = [];

	private constructor(hosts: TestHost[]) {
		this.#hosts = hosts;
	}

	static async start(nodes: readonly string[]): Promise<Load> {
		const load = new Load(await Promise.all(Array.from({ length: rooms }, (_, at) => openHost(nodes, at))));
		for (const [at, { room }] of load.#hosts.entries())
			for (let each = 0; each < guestsOfRoom; each++) {
				const node = nodes[each % nodes.length] ?? "";
				const socket = await guest(node, room, at * guestsOfRoom + each);
				socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
					if (typeof data !== "string")
						load.#latencies.push(performance.now() - new DataView(data).getFloat64(20));
				});
				load.#sockets.push(socket);
			}
		return load;
	}

	/** All hosts together send this many messages a second; returns how late each arrived at each guest. */
	async run(perSecond: number): Promise<number[]> {
		this.#latencies = [];
		const until = performance.now() + roundMs;
		let from = performance.now();
		let sent = 0;
		const most = Math.max(1, (burstMs / 1000) * perSecond);
		while (performance.now() < until) {
			const due = ((performance.now() - from) / 1000) * perSecond;
			if (due > sent + most) from += ((due - sent - most) / perSecond) * 1000;
			for (const goal = Math.floor(Math.min(due, sent + most)); sent < goal; sent++) this.#send(sent);
			await Bun.sleep(1);
		}
		const all = sent * guestsOfRoom;
		const deadline = performance.now() + 20_000;
		while (this.#latencies.length < all && performance.now() < deadline) await Bun.sleep(5);
		if (this.#latencies.length !== all)
			throw new Error(`${this.#latencies.length} deliveries of ${all}: the relay lost or doubled some`);
		return this.#latencies;
	}

	#send(number: number): void {
		const payload = new Uint8Array(messageBytes);
		new DataView(payload.buffer).setFloat64(0, performance.now());
		this.#hosts[number % rooms]?.post("", payload);
	}

	[Symbol.dispose](): void {
		for (const host of this.#hosts) host.stop();
		for (const socket of this.#sockets) socket.close();
	}
}

/** The addresses of guests begin with 10. */
async function openHost(nodes: readonly string[], number: number): Promise<TestHost> {
	const host = await TestHost.create({ nodes, address: `172.16.${number >> 8}.${number & 255}` });
	host.connect();
	await host.joined();
	return host;
}

/** A guest that costs the bench as little as possible. */
async function guest(node: string, room: string, number: number): Promise<WebSocket> {
	const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
	const headers = { "x-forwarded-for": address };
	const socket = new WebSocket(`${node.replace("http", "ws")}/r/${room}?role=guest&v=1`, { headers });
	socket.binaryType = "arraybuffer";
	const welcomed = Promise.withResolvers<void>();
	const secret = crypto
		.getRandomValues(new Uint8Array(16))
		.toBase64({ alphabet: "base64url", omitPadding: true });
	socket.addEventListener("open", () => socket.send(JSON.stringify({ t: "hello", secret, link: "bench" })));
	// Once in, it asks whether the relay is there, as real guests do.
	socket.addEventListener("message", () => socket.send(JSON.stringify({ t: "ping" })), { once: true });
	socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
		if (typeof data === "string" && data.includes("pong")) welcomed.resolve();
	});
	socket.addEventListener("close", ({ code }) => welcomed.reject(new Error(`closed with ${code}`)));
	await welcomed.promise;
	return socket;
}
