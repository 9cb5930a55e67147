/** How fast an answer is understood: parser, decoder, draft and reader, without a network. */
import { MessageBuilder } from "@tau/ai";

import { times, type Row } from "./report.ts";
import { vendorClients } from "./sdk.ts";
import { bytesOf, eventStream, receive, inChunks, modelAt, withFetch, type Protocol } from "./wire.ts";

const megabyte = 1e6;
const wireBytes = 50 * megabyte;
/** About a token, and so the worst case: what is around a delta is thirty times as long as the delta. */
const deltaChars = 4;
const rounds = 4;

const protocols: readonly Protocol[] = [
	{ api: "anthropic-messages", baseUrl: ({ anthropicUrl }) => anthropicUrl },
	{ api: "openai-completions", baseUrl: ({ openaiUrl }) => openaiUrl },
	{ api: "openai-responses", baseUrl: ({ openaiUrl }) => openaiUrl },
	{ api: "google-generative-ai", baseUrl: ({ googleUrl }) => googleUrl },
];

export async function decoding(): Promise<Row[]> {
	// First, because what the vendors' clients leave behind makes every later collection dear.
	const rows = [await toolArgument()];
	for (const protocol of protocols) rows.push(...(await decodeProtocol(protocol)));
	return rows;
}

async function decodeProtocol(protocol: Protocol): Promise<Row[]> {
	const { api } = protocol;
	const bytesPerDelta = (await answerOf(protocol, 1000)).length / 1000;
	const deltas = Math.ceil(wireBytes / bytesPerDelta);
	const whole = await answerOf(protocol, deltas);
	const half = await answerOf(protocol, Math.ceil(deltas / 2));
	const [halfMs = Number.NaN, ms = Number.NaN] = await best(
		() => decodeOnce(api, half, Math.ceil(deltas / 2) * deltaChars),
		() => decodeOnce(api, whole, deltas * deltaChars),
	);
	const client = vendorClients[api];
	// Once is enough for what takes seconds, and half of it.
	const vendorMs = client && (await timed(() => vendorOnce(client, half, deltas * deltaChars)));
	return [
		{
			name: `${api}, ${Math.round(whole.length / megabyte)} MB of ${deltaChars}-byte deltas`,
			value: whole.length / ms / 1000,
			unit: "MB/s",
			budget: 100,
			atLeast: true,
			...(vendorMs === undefined ? {} : { beside: times(vendorMs, halfMs, "the speed of the vendor's SDK") }),
		},
		{
			name: `${api}, twice as long`,
			value: ms / halfMs / (whole.length / half.length),
			unit: "of linear",
			budget: 1.3,
		},
	];
}

function answerOf(protocol: Protocol, deltas: number): Promise<Uint8Array> {
	const text = "word".repeat(deltas);
	return bytesOf(protocol, { blocks: [{ text, chunks: deltas }] });
}

async function decodeOnce(api: string, bytes: Uint8Array, chars: number): Promise<void> {
	using _network = withFetch(async () => eventStream(inChunks(bytes)));
	let received = 0;
	const { stopReason } = await receive(modelAt("http://played.invalid", api), (event) => {
		if (event.type === "text_delta") received += event.delta.length;
	});
	if (stopReason !== "stop" || received !== chars) throw new Error(`${api}: ${stopReason} after ${received}`);
}

async function vendorOnce(client: () => Promise<string>, bytes: Uint8Array, most: number): Promise<void> {
	using _network = withFetch(async () => eventStream(inChunks(bytes)));
	const { length } = await client();
	if (length === 0 || length > most) throw new Error(`the vendor's SDK heard ${length} characters`);
}

/** A file that is written in one call, byte by byte; the reader gets its turn as often as a socket would give it. */
async function toolArgument(): Promise<Row> {
	const json = JSON.stringify({ path: "a.ts", content: "a line of code\n".repeat(megabyte / 16) });
	const turnBytes = 512;
	const [ms = Number.NaN] = await best(async () => {
		const builder = new MessageBuilder(modelAt("", "anthropic-messages"));
		const reading = Array.fromAsync(builder.stream);
		const index = builder.openToolCall("call", "write");
		for (let at = 0; at < json.length; at++) {
			builder.append(index, json.charAt(at));
			if (at % turnBytes === 0) await Promise.resolve();
		}
		builder.done("toolUse");
		await reading;
	});
	const size = (json.length / megabyte).toFixed(1);
	return { name: `tool argument, ${size} MB in 1-byte deltas`, value: ms, unit: "ms", budget: 150 };
}

/** The shortest time of each, taken in turns, so that a busy machine is busy for all of them. */
async function best(...runs: (() => Promise<void>)[]): Promise<number[]> {
	const shortest = runs.map(() => Number.POSITIVE_INFINITY);
	for (let round = 0; round < rounds; round++) {
		for (const [index, run] of runs.entries()) {
			shortest[index] = Math.min(shortest[index] ?? Number.NaN, await timed(run));
		}
	}
	return shortest;
}

async function timed(run: () => Promise<void>): Promise<number> {
	// What others left behind is not to be paid for here.
	Bun.gc(true);
	const started = performance.now();
	await run();
	return performance.now() - started;
}
