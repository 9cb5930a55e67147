/** `/lsp`: the language servers of this session, their logs, and a restart. */
import { listDescendants, residentBytes } from "@tau/sys";
import type { ServerStatus } from "@tau/tools/lsp";
import { wrapTextWithAnsi } from "@tau/tui";
import { shortenHome } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import type { SlashCommand } from "./command.ts";

const actions = ["log", "reload"];
/** Lines of a log that are shown. */
const shownLogLines = 30;

export const lsp: SlashCommand = {
	name: "lsp",
	group: "Tools",
	argumentHint: "[log|reload] [server]",
	description: "Show language servers, their logs, or restart them",
	async complete(prefix, host) {
		const [action = "", name] = prefix.split(/\s+/);
		if (name === undefined)
			return actions.filter((word) => word.startsWith(action)).map((value) => ({ value, label: value }));
		const { serversOf } = await import("../language-servers.ts");
		return serversOf(host.env).status.flatMap((server) =>
			actions.includes(action) && server.name.startsWith(name)
				? [{ value: `${action} ${server.name}`, label: server.name }]
				: [],
		);
	},
	async run(args, host) {
		const [action = "", name] = args.split(/\s+/).filter(Boolean);
		const { serversOf } = await import("../language-servers.ts");
		const servers = serversOf(host.env);
		if (action === "reload") {
			const count = await servers.reload(name);
			return host.notify(
				count === 0 ? "No such language server runs." : "Stopped. It starts again when it is needed.",
			);
		}
		if (action === "log") return printLog(host, servers.status, name);
		if (action !== "") throw new Error("Usage: /lsp [log|reload] [server]");
		for (const problem of servers.problems) host.notify(problem, "warning");
		if (!servers.isEnabled) return host.notify("Language servers are switched off (lsp.enabled).");
		if (servers.status.length === 0)
			return host.notify(
				"No language server running; they start on demand. tau setup lsp lists those for this project.",
			);
		printStatus(host, servers.status);
	},
};

function printStatus(host: InteractiveHost, servers: readonly ServerStatus[]): void {
	const rows = servers.map((server) => ({ ...server, memory: memoryOf(server) }));
	host.print(
		report(host.theme, (width, theme) =>
			rows.flatMap(({ name, state, root, reason, progress, documents, memory, command, sharing }) => {
				const facts = [
					state,
					`${documents} open ${documents === 1 ? "file" : "files"}`,
					...(memory === undefined ? [] : [memory]),
					...(sharing === "guest" ? ["started by another Tau"] : []),
					...(typeof sharing === "number" && sharing > 0 ? [`also used by ${sharing} more Tau`] : []),
				];
				const more = [progress, reason].flatMap((text) => (text === undefined ? [] : [plain(text)]));
				const color = state === "failed" ? "error" : state === "ready" ? "success" : "muted";
				return [
					`${theme.fg("accent", plain(name))}  ${theme.fg(color, facts.join(", "))}`,
					...[`${shortenHome(root)}: ${command.map(plain).join(" ")}`, ...more].flatMap((line) =>
						wrapTextWithAnsi(theme.fg("muted", line), Math.max(1, width - 2)).map((row) => `  ${row}`),
					),
				];
			}),
		),
	);
}

/** Of the server and all processes that it has started. */
function memoryOf({ pid }: ServerStatus): string | undefined {
	if (pid === undefined) return undefined;
	const bytes = [pid, ...listDescendants(pid)].reduce((sum, each) => sum + (residentBytes(each) ?? 0), 0);
	return bytes === 0 ? undefined : `${Math.round(bytes / 1024 / 1024)} MB`;
}

function printLog(host: InteractiveHost, servers: readonly ServerStatus[], name: string | undefined): void {
	const chosen = servers.filter((server) => name === undefined || server.name === name);
	const lines = chosen.flatMap((server) => server.log.slice(-shownLogLines));
	if (lines.length === 0) return host.notify("The log is empty.");
	host.print(report(host.theme, (width) => lines.flatMap((line) => wrapTextWithAnsi(plain(line), width))));
}
