/** Several clients on one session: what a frame costs, how soon a delta arrives, how soon a long session is on the screen. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionManager } from "@tau/log";
import type { SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { FrameReader, Replica } from "@tau/wire";

import { testHost } from "../test/support/host.ts";
import { testModel } from "../test/support/session.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const clientCount = 8;
const deltas = 2000;

export async function clients(): Promise<Row[]> {
	const [alone, served] = [await costOfDeltas(0), await costOfDeltas(clientCount)];
	return [
		{
			name: "own cost of a delta for each of 8 clients",
			value: Math.max(0, ((served - alone) * 1000) / clientCount),
			unit: "µs",
			budget: 10,
			beside: `${(alone * 1000).toFixed(1)} µs without any`,
		},
		{ name: "a delta on loopback, 8 clients, median", value: await latency(), unit: "ms", budget: 5 },
		{
			name: "another client's delta beside one that never reads",
			value: await besideStuck(),
			unit: "x",
			budget: 1.05,
		},
		{ name: "first view of a session of 46 MB", value: await joinLong(), unit: "ms", budget: 150 },
	];
}

/** Milliseconds for each delta that is emitted and delivered. */
async function costOfDeltas(count: number): Promise<number> {
	await using host = await testHost(testModel({}));
	for (let at = 0; at < count; at++) follow(host);
	const message = begin(host);
	const times: number[] = [];
	for (let round = 0; round < 7; round++) {
		const from = performance.now();
		for (let at = 0; at < deltas; at++) {
			emitDelta(host, message, `word ${at} `);
			// As many as come within a batch of 16 ms while a model answers quickly.
			if (at % 8 === 7) await Promise.resolve();
		}
		await Promise.resolve();
		times.push((performance.now() - from) / deltas);
	}
	return median(times);
}

async function latency(): Promise<number> {
	await using host = await testHost(testModel({}));
	const arrived: number[] = [];
	let sentAt = 0;
	const sockets = await Promise.all(
		Array.from({ length: clientCount }, () =>
			loopback(host, () => void arrived.push(performance.now() - sentAt)),
		),
	);
	const message = begin(host);
	await Bun.sleep(50);
	arrived.length = 0;
	for (let at = 0; at < 50; at++) {
		sentAt = performance.now();
		emitDelta(host, message, "word ");
		// A model that writes 50 deltas a second.
		await Bun.sleep(20);
	}
	for (const socket of sockets) socket[Symbol.dispose]();
	return median(arrived);
}

async function besideStuck(): Promise<number> {
	const one = async (isStuck: boolean): Promise<number> => {
		await using host = await testHost(testModel({}));
		follow(host);
		if (isStuck) host.attach({ name: "stuck", onLines: () => new Promise<void>(() => {}) });
		const message = begin(host);
		const from = performance.now();
		for (let at = 0; at < 20 * deltas; at++) {
			emitDelta(host, message, "word ");
			if (at % 8 === 7) await Promise.resolve();
		}
		return performance.now() - from;
	};
	const ratios: number[] = [];
	for (let round = 0; round < 9; round++) {
		const alone = await one(false);
		ratios.push((await one(true)) / alone);
	}
	return median(ratios);
}

async function joinLong(): Promise<number> {
	const directory = mkdtempSync(join(tmpdir(), "tau-bench-clients-"));
	try {
		const log = SessionManager.create("/", directory);
		const text = "All work and no play makes a long session. ".repeat(107);
		for (let at = 0; at < 5000; at++) {
			log.appendMessage({ role: "user", content: text, timestamp: at });
			log.appendMessage({ ...answer(), content: [{ type: "text", text }], timestamp: at });
		}
		const file = log.getSessionFile() ?? "";
		log[Symbol.dispose]();
		const times: number[] = [];
		for (let round = 0; round < 5; round++) {
			await using host = await testHost(testModel({}), { log: SessionManager.open(file) });
			const from = performance.now();
			const replica = follow(host);
			while (!replica.isReady) await Bun.sleep(1);
			times.push(performance.now() - from);
			host.log[Symbol.dispose]();
		}
		return median(times);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

function follow(host: SessionHost): Replica {
	const replica = new Replica();
	const reader = new FrameReader();
	host.attach({
		name: "bench",
		onLines(lines) {
			for (const line of lines) {
				const frame = reader.read(line);
				if (frame) replica.take(frame);
			}
		},
	});
	return replica;
}

/** Through a real socket of this machine. */
async function loopback(host: SessionHost, onDelta: () => void): Promise<Disposable> {
	const listening = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			open(socket) {
				host.attach({ name: "bench", onLines: (lines) => void socket.write(`${lines.join("\n")}\n`) });
			},
			data() {},
		},
	});
	const opened = Promise.withResolvers<void>();
	const socket = await Bun.connect({
		hostname: "127.0.0.1",
		port: listening.port,
		socket: {
			data(_, data) {
				opened.resolve();
				if (data.includes("text_delta")) onDelta();
			},
		},
	});
	await opened.promise;
	return {
		[Symbol.dispose]() {
			socket.end();
			listening.stop(true);
		},
	};
}

type Answer = Extract<SessionEvent, { type: "message_update" }>["message"];

function answer(): Answer {
	const counts = { input: 10, output: 10, cacheRead: 0, cacheWrite: 0 };
	return {
		role: "assistant",
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: { ...counts, totalTokens: 20, cost: { ...counts, total: 0 } },
		stopReason: "stop",
		timestamp: 0,
		content: [{ type: "text", text: "" }],
	};
}

function begin(host: SessionHost): Answer {
	const message = answer();
	void host.emitToClients({ type: "message_start", message });
	void host.emitToClients({
		type: "message_update",
		message,
		assistantMessageEvent: { type: "text_start", contentIndex: 0, partial: message },
	});
	return message;
}

function emitDelta(host: SessionHost, message: Answer, delta: string): void {
	void host.emitToClients({
		type: "message_update",
		message,
		assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta, partial: message },
	});
}
