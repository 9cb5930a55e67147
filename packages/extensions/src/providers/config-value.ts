/** Values of providers as pi writes them: `$NAME` and `${NAME}` are variables, `$$` is a dollar, `$!` a leading `!`. */
import { env } from "@tau/utils";

export interface ConfigValue {
	/** What it stands for; the name of a variable where it is nothing else. Nothing where a variable is not set. */
	value?: string;
	/** The variable that would have to be set. */
	missing?: string;
}

/** The name of a variable alone stays a name: its value is then kept from what a model runs. */
export function configValue(text: string): ConfigValue {
	const [, plain, braced] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text) ?? [];
	const name = plain ?? braced;
	if (name !== undefined) return env(name) === undefined ? { missing: name } : { value: name };
	// A command is the registry's to run, whatever stands in it.
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
