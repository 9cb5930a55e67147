/** Divides a conversation that is too long for one request into portions that fit. */
import type { Message } from "@tau/ai/portable";

import { charsFor } from "./estimate.ts";
import { serializeMessage, shortened, withoutUseless } from "./serialize.ts";

/** Portions in order, none longer than `tokens` by estimate; a message that is longer by itself loses its middle. */
export function portions(messages: readonly Message[], tokens: number): string[] {
	const most = Math.max(1, charsFor(tokens));
	const done: string[] = [];
	let open: string[] = [];
	let size = 0;
	for (const part of withoutUseless(messages).flatMap(serializeMessage)) {
		const text = shortened(part, most);
		if (size + text.length > most && open.length > 0) {
			done.push(open.join(between));
			open = [];
			size = 0;
		}
		open.push(text);
		size += text.length + between.length;
	}
	return open.length > 0 ? [...done, open.join(between)] : done;
}

const between = "\n\n";
