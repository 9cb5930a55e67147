/** Finds names that no tool has, and suggests the intended ones. */
import { nearest } from "@tau/utils";
import type { Settings } from "@tau/config/settings";

/** Why these names cannot be had: the first that none of the tools has. */
export function unknownTool(known: readonly string[], wanted: readonly string[]): string | undefined {
	const name = wanted.find((each) => !known.includes(each));
	if (name === undefined) return undefined;
	const [near] = nearest(name, known);
	return `There is no tool "${name}". ${near ? `Did you mean ${near}?` : `Tools: ${known.join(", ")}`}`;
}

/** A name in the settings that no tool has is reported and ignored. */
export function reportUnknownTools(
	known: readonly string[],
	settings: Pick<Settings, "get">,
	onNotice: (message: string) => void,
): void {
	const named = [...settings.get("tools.enabled"), ...settings.get("tools.disabled")];
	for (const name of named.filter((requested) => !known.includes(requested))) {
		const [near] = nearest(name, known);
		onNotice(`The settings name an unknown tool "${name}"${near ? `; did you mean ${near}?` : "."}`);
	}
}
