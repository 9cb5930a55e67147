/** Texts of a call that the user may change before allowing it, and the call with the changed ones. */
import type { FrozenCall } from "@tau/agent";
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

export interface AmendableText {
	readonly name: string;
	readonly text: string;
}

/** In the order of the arguments; none if they are too many or too long to be edited. */
export function amendableTexts({
	arguments: args,
	tool,
}: Pick<FrozenCall, "arguments" | "tool">): AmendableText[] {
	const texts: AmendableText[] = [];
	replaceTexts(args, tool.amends ?? [], (name, text) => {
		texts.push({ name, text });
		return text;
	});
	const isBounded =
		texts.length <= limits.amendableTexts &&
		texts.reduce((sum, { text }) => sum + text.length, 0) <= limits.amendableChars;
	return isBounded ? texts : [];
}

/** Undefined if nothing has changed, or the texts are not those of this call. */
export function amendedArguments(
	call: Pick<FrozenCall, "arguments" | "tool">,
	texts: readonly string[] | undefined,
): Record<string, unknown> | undefined {
	const before = amendableTexts(call);
	if (texts?.length !== before.length || texts.every((text, at) => text === before[at]?.text))
		return undefined;
	const left = [...texts];
	const args = replaceTexts(call.arguments, call.tool.amends ?? [], (_, text) => left.shift() ?? text);
	return isRecord(args) ? args : undefined;
}

/** A copy of the value in which each text below one of the names is what `replace` makes of it. */
function replaceTexts(
	value: unknown,
	names: readonly string[],
	replace: (name: string, text: string) => string,
): unknown {
	if (Array.isArray(value)) return value.map((part) => replaceTexts(part, names, replace));
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([name, part]): [string, unknown] =>
		typeof part === "string" && names.includes(name)
			? [name, replace(name, part)]
			: [name, replaceTexts(part, names, replace)],
	);
	return Object.fromEntries(entries);
}
