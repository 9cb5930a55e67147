/** How much memory an answer takes that is short but comes in very many deltas. Run by itself, it reads such an answer. */
import { readFileSync } from "node:fs";

import type { Row } from "./report.ts";
import { eventStream, receive, modelAt, withFetch } from "./wire.ts";

const megabyte = 1e6;
const [few, many] = [10, 100];
const rounds = 3;

export async function memory(): Promise<Row[]> {
	const [short, long] = [await peakOf(few), await peakOf(many)];
	return [
		{
			name: `growth from ${few} to ${many} MB of 1-byte deltas`,
			value: (long - short) / megabyte,
			unit: "MB",
			budget: 24,
			beside: `${Math.round(long / megabyte)} MB at the peak`,
		},
	];
}

async function peakOf(size: number): Promise<number> {
	const peaks: number[] = [];
	for (let round = 0; round < rounds; round++) {
		await using child = Bun.spawn([process.execPath, import.meta.path, String(size)], { stdout: "pipe" });
		peaks.push(Number(await child.stdout.text()));
	}
	return peaks.toSorted((a, b) => a - b)[1] ?? Number.NaN;
}

/** A process is told the peak of whoever started it too, where it asks for its resources; Linux knows its own. */
function ownPeak(): number {
	try {
		const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
		return Number(kilobytes) * 1024;
	} catch {
		// Another system: with a small parent, the difference of two runs is still right.
		return process.resourceUsage().maxRSS * 1024;
	}
}

/** Made while it is read, so that only the reader takes memory. */
function* answer(size: number): Generator<Uint8Array> {
	const encode = (...events: object[]): Uint8Array =>
		new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
	const usage = { input_tokens: 1, output_tokens: 1 };
	const thinking = { type: "thinking", thinking: "" };
	const delta = { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "h" } };
	const some = encode(...Array.from({ length: 600 }, () => delta));
	yield encode({ type: "message_start", message: { id: "m", usage } });
	yield encode({ type: "content_block_start", index: 0, content_block: thinking });
	for (let bytes = 0; bytes < size; bytes += some.length) yield some.slice();
	yield encode({ type: "content_block_stop", index: 0 });
	yield encode({ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" });
}

if (import.meta.main) {
	using _network = withFetch(async () => eventStream(answer(Number(process.argv[2]) * megabyte)));
	const { stopReason } = await receive(modelAt("http://played.invalid", "anthropic-messages"));
	if (stopReason !== "stop") throw new Error(stopReason);
	process.stdout.write(String(ownPeak()));
}
