/** The page about the commands, made from their table. */
import { rows as sessionRows } from "@tau/session-commands/rows";
import { commands } from "../commands/index.ts";
import template from "./commands.md" with { type: "text" };
import { table } from "./table.ts";

/** What `docs/commands.md` holds. */
export function commandsPage(): string {
	const rights = new Map(sessionRows.map(({ name, right }) => [name, right]));
	const rows = commands
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, argumentHint = "", description, aliases = [] }) => {
			const also = aliases.map((alias) => `\`/${alias}\``).join(", ");
			return [`\`${`/${name} ${argumentHint}`.trim()}\``, also, description, rights.get(name) ?? ""];
		});
	const all = table(["command", "also", "what it does", "right"], rows);
	return `${template.trim().replace("{{commands}}", () => all)}\n`;
}
