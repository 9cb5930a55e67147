/** Compares requests as a provider's cache does: by the bytes that they have in common from their beginning. */
import type { ReceivedRequest } from "@tau/ai/testing";
import { isRecord } from "@tau/utils";

/** The parts of an Anthropic request in the order in which they are cached, without the marks of the cache. */
export function cachedText({ rawBody }: Pick<ReceivedRequest, "rawBody">): string {
	const { tools, system, messages, model } = JSON.parse(rawBody, (key, value: unknown) =>
		key === "cache_control" ? undefined : value,
	) as Record<string, unknown>;
	const blocks = (Array.isArray(messages) ? messages : []).flatMap((message: unknown) => {
		if (!isRecord(message)) return [];
		const content: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
		return content.map((block) => JSON.stringify([message.role, block]));
	});
	// Tools that a result declares are no part of the beginning.
	const first = Array.isArray(tools) ? tools.filter((tool) => !isRecord(tool) || !tool.defer_loading) : tools;
	return [JSON.stringify([model, first, system]), ...blocks].join("\n");
}

/** How much of both texts is equal from the beginning. */
export function commonPrefix(one: string, other: string): number {
	const most = Math.min(one.length, other.length);
	let at = 0;
	while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
	return at;
}
