/** Masks the secrets of a cassette: in its log, its requests, its answers and its facts. */
import {
	findSecrets,
	maskFindings,
	maskValue,
	type FoundSecret,
	type KnownSecrets,
} from "@tau/utils/secrets";

import { decoded } from "./answer.ts";
import type { Cassette, Chunk, ExchangeLine, RawAnswer } from "./format.ts";
import { keyOf, mapFields } from "./normal.ts";

export interface MaskedCassette {
	readonly cassette: Cassette;
	/** What was found, for the user. */
	readonly found: readonly FoundSecret[];
}

/** `keep` has the ids of findings that stay. */
export async function masked(
	{ head, log, parts, exchanges }: Cassette,
	known: KnownSecrets,
	keep?: ReadonlySet<string>,
): Promise<MaskedCassette> {
	const entries = log.map((line) => JSON.parse(line) as unknown);
	const answers = exchanges.map(({ model, message, request }) => ({ model, message, path: request?.path }));
	const all = { facts: head.facts, entries, parts: [...parts], answers };
	const { value, found } = maskValue(all, known, keep);
	const isClean = found.length === 0;
	const renamed = new Map(value.parts.map(([, part], at) => [[...parts.keys()][at] ?? "", keyOf(part)]));
	const shown: ExchangeLine[] = [];
	for (const [at, { request, raw, ...rest }] of exchanges.entries()) {
		const answer = value.answers[at];
		if (!answer) continue;
		const { message, model } = answer;
		const stream = raw && (isClean ? raw : await maskedStream(raw, { message, model }, known, keep));
		shown.push({
			...rest,
			model,
			...(request
				? {
						request: {
							path: answer.path ?? request.path,
							body: mapFields(request.body, (key) => renamed.get(String(key)) ?? String(key)),
						},
					}
				: {}),
			...(stream ? { raw: stream } : {}),
			message,
		});
	}
	return {
		cassette: {
			head: { ...head, facts: value.facts, masked: found.length - (keep?.size ?? 0) },
			// A line without a secret stays as it was written, byte for byte.
			log: log.map((line, at) => {
				const text = JSON.stringify(value.entries[at]);
				return text === JSON.stringify(entries[at]) ? line : text;
			}),
			parts: new Map(value.parts.map(([, part]) => [keyOf(part), part])),
			exchanges: shown,
		},
		found,
	};
}

/** Undefined where a secret is cut into pieces that cannot be masked one by one: the message is played instead. */
async function maskedStream(
	raw: RawAnswer,
	answer: Pick<ExchangeLine, "message" | "model">,
	known: KnownSecrets,
	keep: ReadonlySet<string> | undefined,
): Promise<RawAnswer | undefined> {
	// What the user keeps is known by its place in the message, and not in the stream.
	if (keep && keep.size > 0) return undefined;
	const mask = (text: string): string => maskFindings(text, findSecrets(text, known));
	const chunks = raw.chunks.map((chunk): Chunk =>
		chunk[2] === "base64" ? chunk : [chunk[0], mask(chunk[1])],
	);
	const stream = { ...raw, chunks };
	const whole = chunks.map(([, text]) => text).join("");
	if (mask(whole) !== whole) return undefined;
	const { message } = await decoded({ ...answer, raw: stream });
	return JSON.stringify(message.content) === JSON.stringify(answer.message.content) ? stream : undefined;
}
