/** Shows a server to the user: its command or its address, without secrets. */
import { stripControls } from "@tau/utils";

import type { McpServerConfig } from "./types.ts";

/** The whole command: it is what the user says yes to. Variables are shown by their names. */
export function targetOf({ command, args = [], url = "" }: McpServerConfig): string {
	const shown = command === undefined ? withoutSecrets(url) : [command, ...args].map(quoted).join(" ");
	return stripControls(shown, { newline: false, tab: false });
}

/** Everything that a definition would run: the command, and those that print secrets. */
export function commandsOf(config: McpServerConfig): string[] {
	const values = [...Object.values(config.env ?? {}), ...Object.values(config.headers ?? {})];
	const secrets = values.filter((value) => value.startsWith("!")).map((value) => value.slice(1));
	const where = config.cwd === undefined ? "" : ` (in ${config.cwd})`;
	return [
		`${targetOf(config)}${where}`,
		...secrets.map((value) => stripControls(value, { newline: false, tab: false })),
	];
}

function quoted(word: string): string {
	return /^[\w@%+=:,./${}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Keys are found in queries and before the `@`. */
function withoutSecrets(address: string): string {
	if (!URL.canParse(address)) return address.split("?")[0] ?? "";
	const { protocol, host, pathname } = new URL(address);
	return `${protocol}//${host}${pathname}`;
}
