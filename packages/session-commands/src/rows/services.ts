/** `/lsp`, `/debugger`, `/browser` and `/machine`: the programs and machines that the tools use. */
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { listDescendants, residentBytes } from "@tau/sys";
import type { ServerStatus } from "@tau/integrations/lsp";
import { shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";
import { moveTo } from "../work/move.ts";

const lspActions = ["log", "reload"];
/** Lines of a log that are shown. */
const shownLogLines = 30;

/** A language server as a reply of /lsp has it. */
export interface LspServer {
	name: string;
	state: ServerStatus["state"];
	/** State, open files, memory, and who else uses it. */
	about: string;
	/** Where it runs, with its command, and what it reports. */
	lines: readonly string[];
}

export interface LspData {
	servers?: readonly LspServer[];
	log?: readonly string[];
}

export const lsp: SessionCommand = {
	name: "lsp",
	group: "Tools",
	argumentHint: "[log|reload] [server]",
	description: "Show language servers, their logs, or restart them",
	right: "control",
	shows: ["", "log"],
	async complete(prefix, target) {
		const [action = "", name] = prefix.split(/\s+/);
		if (name === undefined)
			return lspActions.filter((word) => word.startsWith(action)).map((value) => ({ value, label: value }));
		const { serversOf } = await import("../work/language-servers.ts");
		return serversOf(target.env()).status.flatMap((server) =>
			lspActions.includes(action) && server.name.startsWith(name)
				? [{ value: `${action} ${server.name}`, label: server.name }]
				: [],
		);
	},
	async run(args, target) {
		const [action = "", name] = args.split(/\s+/).filter(Boolean);
		const { serversOf } = await import("../work/language-servers.ts");
		const servers = serversOf(target.env());
		if (action === "reload") {
			const count = await servers.reload(name);
			return reply(
				count === 0 ? "No such language server runs." : "Stopped. It starts again when it is needed.",
			);
		}
		if (action === "log") return lspLog(servers.status, name);
		if (action !== "") throw new UserError("Usage: /lsp [log|reload] [server]");
		for (const problem of servers.problems) await target.notice(problem, "warning");
		if (!servers.isEnabled) return reply("Language servers are switched off (lsp.enabled).");
		if (servers.status.length === 0)
			return reply(
				"No language server running; they start on demand. tau setup lsp lists those for this project.",
			);
		return lspList(servers.status.map(lspServer));
	},
};

function lspServer(server: ServerStatus): LspServer {
	const { name, state, root, reason, progress, documents, command, sharing } = server;
	const memory = memoryOf(server);
	const facts = [
		state,
		`${documents} open ${documents === 1 ? "file" : "files"}`,
		...(memory === undefined ? [] : [memory]),
		...(sharing === "guest" ? ["started by another Tau"] : []),
		...(typeof sharing === "number" && sharing > 0 ? [`also used by ${sharing} more Tau`] : []),
	];
	const more = [progress, reason].flatMap((text) => (text === undefined ? [] : [plain(text)]));
	return {
		name: plain(name),
		state,
		about: facts.join(", "),
		lines: [`${shortenHome(root)}: ${command.map(plain).join(" ")}`, ...more],
	};
}

function lspList(servers: readonly LspServer[]): CommandReply {
	const lines = servers.flatMap(({ name, about, lines: more }) => [
		`${name}  ${about}`,
		...more.map((line) => `  ${line}`),
	]);
	const data: LspData = { servers };
	return { ...reply(lines.join("\n")), data };
}

/** Of the server and all processes that it has started. */
function memoryOf({ pid }: ServerStatus): string | undefined {
	if (pid === undefined) return undefined;
	const bytes = [pid, ...listDescendants(pid)].reduce((sum, each) => sum + (residentBytes(each) ?? 0), 0);
	return bytes === 0 ? undefined : `${Math.round(bytes / 1024 / 1024)} MB`;
}

function lspLog(servers: readonly ServerStatus[], name: string | undefined): CommandReply {
	const chosen = servers.filter((server) => name === undefined || server.name === name);
	const log = chosen.flatMap((server) => server.log.slice(-shownLogLines)).map(plain);
	const data: LspData = { log };
	return log.length === 0 ? reply("The log is empty.") : { ...reply(log.join("\n")), data };
}

/** Lines under a title, some of them indented. */
export interface TitledData {
	title: string;
	lines: readonly string[];
}

function titled(title: string, lines: readonly string[]): CommandReply {
	const data: TitledData = { title, lines };
	return { ...reply([title, ...lines].join("\n")), data };
}

export const debuggerCommand: SessionCommand = {
	name: "debugger",
	group: "Tools",
	argumentHint: "[end <id>]",
	words: ["end"],
	description: "Show the programs being debugged and their breakpoints",
	right: "control",
	shows: [""],
	async complete(prefix, target) {
		const { debuggers } = await import("@tau/integrations/debug");
		return valueItems(
			(target.env().services.peek(debuggers)?.sessions ?? []).map(({ id, label }) => ({
				value: `end ${id}`,
				description: label,
			})),
			prefix,
			undefined,
		);
	},
	async run(args, target) {
		const { debuggers, describeSessions } = await import("@tau/integrations/debug");
		// Nothing is made for the sake of looking.
		const service = target.env().services.peek(debuggers);
		if (!service || service.sessions.length === 0) return reply("No program is being debugged.");
		const [verb = "", id] = args.trim().split(/\s+/);
		if (verb === "end") {
			const session = service.session(id);
			await service.end(session);
			return reply(`Ended ${session.id}.`);
		}
		if (verb !== "") throw new UserError("Use /debugger, or /debugger end <id>.");
		return titled("Debugger", describeSessions(service));
	},
};

const browserVerbs = [
	{ value: "visible", description: "Show its window" },
	{ value: "headless", description: "Use no window" },
	{ value: "close", description: "End it" },
];

export const browser: SessionCommand = {
	name: "browser",
	group: "Tools",
	argumentHint: "[visible|headless|close]",
	description: "Show the browser and its tabs, show or hide its window, or close it",
	right: "control",
	shows: [""],
	complete: (prefix) => valueItems(browserVerbs, prefix, undefined),
	async run(args, target) {
		const { browserService, describeBrowser } = await import("@tau/integrations/browser");
		// Nothing is made for the sake of looking.
		const session = target.env().services.peek(browserService);
		const verb = args.trim();
		if (verb === "close") {
			if (!session?.running) return reply("The browser is not running.");
			await session.close();
			return reply("Closed the browser.");
		}
		if (verb === "visible" || verb === "headless") {
			const setting = { type: "setting", path: "browser.visible", value: verb === "visible" } as const;
			assertOutcome(await target.host.apply(setting));
			const isOpen = session?.running !== undefined;
			// A window cannot be added to a browser that runs; its cookies go on, and its pages do not.
			if (isOpen) await session?.close();
			const closed = isOpen ? " Its tabs were closed." : "";
			return reply(`The browser starts ${verb} with the next page.${closed}`);
		}
		if (verb !== "")
			throw new UserError("Use /browser, /browser visible, /browser headless or /browser close.");
		const lines = session ? describeBrowser(session) : [];
		return lines.length === 0 ? reply("The browser is not running.") : titled("Browser", lines);
	},
};

export interface MachineData {
	/** Where the session works. */
	current: string;
	hosts: readonly { name: string; about: string }[];
}

export const machine: SessionCommand = {
	name: "machine",
	group: "Tools",
	argumentHint: "[local|host|ssh:host:/path]",
	words: ["local"],
	description: "Show or switch the remote host",
	// It lists the hosts of the owner.
	right: "control",
	async run(args, target) {
		const { machine: chosen, host } = target;
		if (!chosen) throw new UserError("This session cannot work on another machine.");
		const wanted = args.trim();
		if (wanted === "") return showMachine(target);
		if (host.isBusy) throw new UserError("The model is working. Stop it first, then switch.");
		if (wanted === "local") await chosen.disconnect();
		else {
			await target.notice(`Connecting to ${wanted} …`);
			await chosen.connect(wanted.startsWith("ssh:") ? wanted : `ssh:${wanted}`, target.signal);
		}
		// The tools of the session are made anew, on that machine.
		await moveTo({ to: "reload" }, target);
		host.policy?.refresh();
		const { current } = chosen;
		return reply(
			current
				? `Working in ${current.cwd} on ${current.name}. Nothing contains commands there: approvals are ${host.policy?.mode ?? "off"}.`
				: "Working on this machine.",
			"success",
		);
	},
};

async function showMachine(target: CommandTarget): Promise<CommandReply> {
	const { machine: chosen } = target;
	const current = chosen?.current;
	const latency = await current?.ping().catch((error: unknown) => {
		void target.notice(String(error), "warning");
		return undefined;
	});
	const { hosts, problems } = (await chosen?.hosts()) ?? { hosts: [], problems: [] };
	for (const problem of problems) await target.notice(problem, "warning");
	const first = current
		? `${current.address}, ${current.state}${latency === undefined ? "" : `, ${latencyText(latency)} per round trip`}`
		: "this machine";
	const data: MachineData = {
		current: plain(first),
		hosts: hosts.map(({ name, host: at, description, source }) => ({
			name: plain(name),
			about: [at === name ? "" : at, description ?? "", source ?? ""].filter(Boolean).map(plain).join(" · "),
		})),
	};
	const lines = data.hosts.map(({ name, about }) => `  ${name}  ${about}`);
	return { ...reply([`machine  ${data.current}`, ...lines].join("\n")), data };
}

export function latencyText(ms: number): string {
	return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
