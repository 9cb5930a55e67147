/** A relay: what a delivery costs, how late messages arrive, two nodes beside one, and what an idle connection takes. */
import { readFileSync } from "node:fs";

import { TestHost } from "../test/support/relay/ends.ts";
import { TestNode } from "../test/support/relay/nodes.ts";
import { TestRedis } from "../test/support/relay/redis.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rooms = 20;
const guestsOfRoom = 10;
const messageBytes = 512;
const roundMs = 3000;
const idleConnections = 10_000;

export async function relays(): Promise<Row[]> {
	const one = await oneNode();
	const idle = await idleNode();
	const two = Bun.which("redis-server") === null ? undefined : await twoNodes();
	const rows: Row[] = [
		{
			name: "deliveries of 512 bytes for a second of CPU",
			value: one.perCore,
			unit: "",
			budget: 50_000,
			atLeast: true,
		},
		{ name: "a message at 25,000 deliveries a second, p99", value: one.p99, unit: "ms", budget: 50 },
		{ name: "a message at rest, median", value: one.atRest, unit: "ms", budget: 5 },
		{ name: "an idle connection", value: idle.each, unit: "KB", budget: 4 },
		{ name: "a node with 10,000 idle connections", value: idle.megabytes, unit: "MB", budget: 60 },
	];
	if (two !== undefined)
		rows.push({
			name: "two nodes and Redis beside one node",
			value: two / one.perCore,
			unit: "x",
			budget: 0.8,
			atLeast: true,
			beside: `${two.toFixed(0)} deliveries for a second of CPU`,
		});
	return rows;
}

async function oneNode(): Promise<{ perCore: number; p99: number; atRest: number }> {
	await using node = await TestNode.start(proxied);
	using load = await Load.start([node.url]);
	const atRest = median(await load.run(10));
	// The engine compiles what is hot.
	await load.run(1250);
	const before = cpuSeconds(node.pid);
	const latencies = (await load.run(2500)).toSorted((a, b) => a - b);
	const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
	return { perCore: latencies.length / (cpuSeconds(node.pid) - before), p99, atRest };
}

async function twoNodes(): Promise<number> {
	await using redis = await TestRedis.start();
	const environment = { ...proxied, TAU_RELAY_REDIS: redis.url };
	await using first = await TestNode.start(environment);
	await using second = await TestNode.start(environment);
	using load = await Load.start([first.url, second.url]);
	await load.run(1250);
	const cpu = (): number => cpuSeconds(first.pid) + cpuSeconds(second.pid);
	const before = cpu();
	const latencies = await load.run(2500);
	return latencies.length / (cpu() - before);
}

async function idleNode(): Promise<{ each: number; megabytes: number }> {
	await using node = await TestNode.start(proxied);
	const hosts = await Promise.all(
		Array.from({ length: idleConnections / 50 }, (_, at) => openHost([node.url], at)),
	);
	// What the first connections bring into memory is not theirs.
	const warm = await Promise.all(
		Array.from({ length: 200 }, (_, at) => guest(node.url, hosts[at % 10]?.room ?? "", at)),
	);
	for (const socket of warm) socket.close();
	await Bun.sleep(1000);
	const before = residentKilobytes(node.pid);
	const sockets: WebSocket[] = [];
	for (const [at, host] of hosts.entries()) {
		const group = Array.from({ length: 50 }, (_, each) => guest(node.url, host.room, at * 50 + each));
		sockets.push(...(await Promise.all(group)));
	}
	await Bun.sleep(1000);
	const after = residentKilobytes(node.pid);
	for (const socket of sockets) socket.close();
	for (const host of hosts) host.stop();
	return { each: (after - before) / sockets.length, megabytes: after / 1024 };
}

/** The bench stands for many addresses, so it is a proxy that says for whom it asks. */
const proxied = { TAU_RELAY_PROXIES: "127.0.0.1" };

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
		const from = performance.now();
		let sent = 0;
		while (performance.now() < until) {
			const due = Math.floor(((performance.now() - from) / 1000) * perSecond);
			for (; sent < due; sent++) this.#send(sent);
			await Bun.sleep(1);
		}
		const goal = sent * guestsOfRoom;
		const deadline = performance.now() + 20_000;
		while (this.#latencies.length < goal && performance.now() < deadline) await Bun.sleep(5);
		if (this.#latencies.length !== goal)
			throw new Error(`${this.#latencies.length} deliveries of ${goal}: the relay lost or doubled some`);
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
	socket.addEventListener("message", () => welcomed.resolve());
	socket.addEventListener("close", ({ code }) => welcomed.reject(new Error(`closed with ${code}`)));
	await welcomed.promise;
	return socket;
}

/** User and system time of a process; Linux counts in hundredths. */
function cpuSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentKilobytes(pid: number): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
