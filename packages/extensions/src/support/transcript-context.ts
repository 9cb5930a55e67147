/** Finds the system prompt and the tools that belong to a list of messages, for those who are given the list alone. */
import type { Context } from "@tau/ai";

/** Newer versions of pi keep both among the messages; ours stand beside them. */
const contexts = new WeakMap<object, Pick<Context, "systemPrompt" | "tools">>();

export function noteContext({ messages, systemPrompt, tools }: Context): void {
	contexts.set(messages, {
		...(systemPrompt === undefined ? {} : { systemPrompt }),
		...(tools ? { tools } : {}),
	});
}

/** What was said beside these very messages. */
export function notedContext(messages: object): Pick<Context, "systemPrompt" | "tools"> {
	return contexts.get(messages) ?? {};
}
