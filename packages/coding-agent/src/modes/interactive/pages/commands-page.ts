/** The page about the commands, made from their table. */
import { commands } from "../commands/index.ts";
import template from "./commands.md" with { type: "text" };
import { table } from "./table.ts";

/** What `docs/commands.md` holds. */
export function commandsPage(): string {
	const rows = commands
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, argumentHint = "", description, aliases = [] }) => {
			const also = aliases.map((alias) => `\`/${alias}\``).join(", ");
			return [`\`${`/${name} ${argumentHint}`.trim()}\``, also, description];
		});
	const all = table(["command", "also", "what it does"], rows);
	return `${template.trim().replace("{{commands}}", () => all)}\n`;
}
