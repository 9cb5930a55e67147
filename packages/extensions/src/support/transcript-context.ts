/** Finds the system prompt and the tools that belong to a list of messages, for code that gets only the list. */
import type { Context } from "@tau/ai";

/** Newer versions of pi store both among the messages; Tau stores them separately. */
const contexts = new WeakMap<object, Pick<Context, "systemPrompt" | "tools">>();

export function noteContext({ messages, systemPrompt, tools }: Context): void {
	contexts.set(messages, {
		...(systemPrompt === undefined ? {} : { systemPrompt }),
		...(tools ? { tools } : {}),
	});
}

/** Returns the context that was noted for this list of messages. */
export function notedContext(messages: object): Pick<Context, "systemPrompt" | "tools"> {
	return contexts.get(messages) ?? {};
}
