/** `/debugger`: the programs that the model debugs, with their breakpoints; `/debugger end d1` ends one. */
import { report } from "../selectors/kit/report.ts";
import { valueItems } from "../../../session-commands/command.ts";
import type { SlashCommand } from "./command.ts";

export const debuggerCommand: SlashCommand = {
	name: "debugger",
	group: "Tools",
	argumentHint: "[end <id>]",
	description: "Show the programs being debugged and their breakpoints",
	async complete(prefix, { env }) {
		const { debuggers } = await import("@tau/tools/debug");
		return valueItems(
			(env.services.peek(debuggers)?.sessions ?? []).map(({ id, label }) => ({
				value: `end ${id}`,
				description: label,
			})),
			prefix,
			undefined,
		);
	},
	async run(args, host) {
		const { debuggers, describeSessions } = await import("@tau/tools/debug");
		// Nothing is made for the sake of looking.
		const service = host.env.services.peek(debuggers);
		if (!service || service.sessions.length === 0) return host.notify("No program is being debugged.");
		const [verb = "", id] = args.trim().split(/\s+/);
		if (verb === "end") {
			const session = service.session(id);
			await service.end(session);
			return host.notify(`Ended ${session.id}.`);
		}
		if (verb !== "") throw new Error("Use /debugger, or /debugger end <id>.");
		const lines = describeSessions(service);
		host.print(
			report(host.theme, (_, theme) => [
				theme.bold("Debugger"),
				...lines.map((line) => theme.fg(line.startsWith(" ") ? "muted" : "text", line)),
			]),
		);
	},
};
