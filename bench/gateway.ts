/** The gateway beside the direct call and a bare pass-through: what a request and a stream cost, and what it takes at rest. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { events, provider } from "./gateway-provider.ts";
import { cpuMs, median } from "./program.ts";
import type { Row } from "./report.ts";
import { rssMb, Service, tau } from "./service.ts";

const requests = 600;
/** The engine compiles what is hot, and its last tier some thousand requests later: a server runs for days. */
const warmUps = 12_000;
const streams = 60;
const concurrent = 200;
const many = 10_000;
/** Clients do not all begin at once. */
const staggerMs = 4;
const firstByteRuns = 5;
const restMs = 1_000;
const bare = `const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async (request) => fetch(process.env.TARGET + new URL(request.url).pathname, { method: "POST", headers: request.headers, body: await request.text() }) }); console.error("at http://127.0.0.1:" + server.port);`;

export async function gateways(): Promise<Row[]> {
	await using owned = new AsyncDisposableStack();
	const home = mkdtempSync(join(tmpdir(), "tau-bench-gateway-"));
	owned.defer(() => rmSync(home, { recursive: true, force: true }));
	const environment = { PATH: process.env.PATH ?? "", HOME: home };
	const { url: target } = owned.use(await Service.start(provider, environment));
	const pipe = owned.use(
		await Service.start([process.execPath, "-e", bare], { ...environment, TARGET: target }),
	);
	writeModels(home, target);
	const serve = [tau, "auth-gateway", "serve", "--bind=127.0.0.1:0", "--no-auth"];
	const gateway = owned.use(await Service.start(serve, { ...environment, ...noServers }));
	// What starting left behind is given back within a second.
	await Bun.sleep(restMs);
	const idleMb = rssMb(gateway.pid);

	const services = [pipe, gateway];
	await inTurns([target, pipe.url, gateway.url], warmUps / 3);
	await times(gateway.url, warmUps - warmUps / 3, short);
	await times(gateway.url, streams, across);
	const cpuBefore = services.map(({ pid }) => cpuMs(pid));
	const [direct = Number.NaN, piped = Number.NaN, passed = Number.NaN] = await inTurns(
		[target, pipe.url, gateway.url],
		requests,
	);
	const [perPiped = Number.NaN, perRequest = Number.NaN] = services.map(
		({ pid }, at) => (cpuMs(pid) - (cpuBefore[at] ?? 0)) / requests,
	);
	const before = cpuMs(gateway.pid);
	await times(gateway.url, streams, across);
	const perStream = (cpuMs(gateway.pid) - before) / streams;

	const added = await addedToFirst(target, { gateway: gateway.url, pipe: pipe.url });
	await burst(gateway, many / 2);
	const [early, late] = [await burst(gateway, many), await burst(gateway, many)];
	return [
		{
			name: "a request of the same protocol, over the direct call",
			value: (passed - direct) * 1000,
			unit: "µs",
			budget: 300,
			beside: `bare Bun ${((piped - direct) * 1000).toFixed(0)} µs`,
		},
		{
			name: "its CPU",
			value: perRequest * 1000,
			unit: "µs",
			budget: 300,
			beside: `bare Bun ${(perPiped * 1000).toFixed(0)} µs`,
		},
		{
			name: `a stream of ${events} events in another protocol, CPU`,
			value: perStream,
			unit: "ms",
			budget: 3,
		},
		{
			name: `${concurrent} streams at once: first byte, p99, over the direct call`,
			value: added.gateway,
			unit: "ms",
			budget: 10,
			beside: `bare Bun ${added.pipe.toFixed(1)} ms`,
		},
		{ name: "memory at rest", value: idleMb, unit: "MB", budget: 60 },
		{
			name: `more memory after ${many} requests`,
			value: median(late) - median(early),
			unit: "MB",
			budget: 10,
		},
	];
}

const question = { max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
const short = { path: "/v1/messages", body: JSON.stringify({ model: "short", ...question }) };
const across = {
	path: "/v1/chat/completions",
	body: JSON.stringify({ model: "long", stream: true, ...question }),
};
const paced = { path: "/v1/messages", body: JSON.stringify({ model: "paced", stream: true, ...question }) };
const noServers = {
	OLLAMA_BASE_URL: "http://127.0.0.1:9",
	LM_STUDIO_BASE_URL: "http://127.0.0.1:9",
	LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
};

function writeModels(home: string, target: string): void {
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
	const models = ["short", "long", "paced"].map(
		(id) => `{ id: ${id}, contextWindow: 200000, maxTokens: 8192 }`,
	);
	const lines = `providers:\n  bench:\n    baseUrl: ${target}\n    api: anthropic-messages\n    apiKey: key\n    models: [${models.join(", ")}]\n`;
	writeFileSync(join(home, ".tau/agent/models.yml"), lines);
}

interface Ask {
	path: string;
	body: string;
}

async function ask(url: string, { path, body }: Ask): Promise<void> {
	const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
	const response = await fetch(url + path, { method: "POST", headers, body });
	if (!response.ok) throw new Error(`${url}${path} answered ${response.status}: ${await response.text()}`);
	await response.arrayBuffer();
}

/** One request to each in turn, so that a pause of the machine meets all of them; the median of each. */
async function inTurns(urls: readonly string[], count: number): Promise<number[]> {
	const all = urls.map((): number[] => []);
	for (let at = 0; at < count; at++)
		for (const [index, url] of urls.entries()) all[index]?.push(...(await times(url, 1, short)));
	return all.map(median);
}

async function times(url: string, count: number, request: Ask): Promise<number[]> {
	const all: number[] = [];
	for (let at = 0; at < count; at++) {
		const begun = performance.now();
		await ask(url, request);
		all.push(performance.now() - begun);
	}
	return all;
}

/** Its memory in MB at every turn of the burst: one look says more about the garbage collector than about growth. */
async function burst({ url, pid }: Service, count: number): Promise<number[]> {
	const all: number[] = [];
	for (let done = 0; done < count; done += 50) {
		await Promise.all(Array.from({ length: 50 }, () => ask(url, short)));
		all.push(rssMb(pid));
	}
	return all;
}

/**
 * What each address adds to the p99 of the direct call. One run of 200 has two streams beyond its p99: a single pause of
 * the machine decides it, also that of the direct call. So: the median of several runs, side by side.
 */
async function addedToFirst<Name extends string>(
	direct: string,
	urls: Readonly<Record<Name, string>>,
): Promise<Record<Name, number>> {
	const names = Object.keys(urls) as Name[];
	const added = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
	// The first run compiles what is hot.
	for (let run = 0; run <= firstByteRuns; run++) {
		const without = await firstBytes(direct);
		for (const name of names) {
			const through = await firstBytes(urls[name]);
			if (run > 0) added[name].push(through - without);
		}
	}
	return Object.fromEntries(names.map((name) => [name, median(added[name])])) as Record<Name, number>;
}

/** Until the first byte of the body, of streams that are open together; p99. */
async function firstBytes(url: string): Promise<number> {
	const all = await Promise.all(
		Array.from({ length: concurrent }, async (_, at) => {
			await Bun.sleep(at * staggerMs);
			const begun = performance.now();
			const response = await fetch(url + paced.path, {
				method: "POST",
				headers: { "anthropic-version": "2023-06-01" },
				body: paced.body,
			});
			const reader = response.body?.getReader();
			await reader?.read();
			const first = performance.now() - begun;
			while (!(await reader?.read())?.done);
			return first;
		}),
	);
	return all.toSorted((a, b) => a - b)[Math.floor(concurrent * 0.99)] ?? Number.NaN;
}
