/** Values of providers as pi writes them: `$NAME` and `${NAME}` are variables, `$$` is a dollar, `$!` a leading `!`. */
import { env } from "@tau/utils";

export interface ConfigValue {
	/** The resolved text, or the variable's name if the text is only a variable. Undefined if a variable is not set. */
	value?: string;
	/** The variable that would have to be set. */
	missing?: string;
}

/** A lone variable stays a name, so that its value can be hidden from the commands that a model runs. */
export function configValue(text: string): ConfigValue {
	const [, plain, braced] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text) ?? [];
	const name = plain ?? braced;
	if (name !== undefined) return env(name) === undefined ? { missing: name } : { value: name };
	// A command is run by the registry, so its text stays unchanged.
	if (!text.includes("$") || text.startsWith("!")) return { value: text };
	let missing: string | undefined;
	const value = text.replace(
		/\$(?:([$!])|(\w+)|\{(\w+)\})/g,
		(_, escaped?: string, bare?: string, inBraces?: string) => {
			if (escaped !== undefined) return escaped;
			const requested = bare ?? inBraces ?? "";
			const set = env(requested);
			if (set === undefined) missing ??= requested;
			return set ?? "";
		},
	);
	return missing === undefined ? { value } : { missing };
}
