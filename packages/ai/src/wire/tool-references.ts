/**
 * Tools that a search has found are declared by the result of the search, behind everything that the provider has
 * cached. Anthropic documents it: a tool with `defer_loading` is no part of the cached beginning, and a
 * `tool_reference` in a result is expanded there.
 */
import type { Context, Message, Model, Tool } from "../types.ts";

const vendor = "https://api.anthropic.com";

/** The tools of a request that are declared by a result; each of them is in `tools`, or the server rejects the request. */
export function referencedTools(
	model: Model,
	{ tools = [], messages }: Pick<Context, "tools" | "messages">,
): ReadonlySet<string> {
	if (!hasReferences(model)) return none;
	const named = new Set(messages.flatMap(foundIn));
	const referenced = tools.filter(({ name }) => named.has(name));
	// Not all tools may be deferred.
	if (referenced.length === tools.length) return none;
	return new Set(referenced.map(({ name }) => name));
}

const none: ReadonlySet<string> = new Set();

/** Gateways often know the protocol only as it was, so they need the flag. */
function hasReferences({ api, baseUrl, compat }: Model): boolean {
	return (
		api === "anthropic-messages" &&
		(compat?.supportsToolReferences ?? (baseUrl === "" || `${baseUrl}/`.startsWith(`${vendor}/`)))
	);
}

function foundIn(message: Message): readonly string[] {
	if (message.role !== "toolResult" || message.isError) return [];
	// What was removed from the context has to be declared in another way; negative tokens mean that it is back.
	if (message.elided && message.elided.tokens >= 0) return [];
	// A reference takes the place of the text that lists the tools, and no other text may be beside it.
	return message.content.length > 1 ? [] : (message.foundTools ?? []);
}

/** The tools that a result declares. A tool that has gone since is left out. */
export function referencesIn(message: Message, referenced: ReadonlySet<string>): readonly string[] {
	return foundIn(message).filter((name) => referenced.has(name));
}

/** The tools at the beginning of a request, which is what a provider caches. */
export function toolsAtBeginning(
	model: Model,
	context: Pick<Context, "tools" | "messages">,
): readonly Tool[] {
	const { tools = [] } = context;
	const referenced = referencedTools(model, context);
	return referenced.size === 0 ? tools : tools.filter(({ name }) => !referenced.has(name));
}
