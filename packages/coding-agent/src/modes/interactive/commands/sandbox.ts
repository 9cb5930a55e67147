/** `/sandbox`: shows what the model's commands can see, write and reach, and changes it for this session. */
import { sandboxModes, SessionSandbox } from "@tau/session/sandbox";
import { allowText, type AllowedBy, type Denial } from "@tau/sys";
import { wrapTextWithAnsi, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";

import { explainSandbox, sandboxLines } from "../../../session-commands/work/explain-sandbox.ts";
import type { InteractiveHost } from "../host.ts";
import { denialsSelector } from "../selectors/denials/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { pathArgument } from "../../../session-commands/command.ts";
import type { SlashCommand } from "./command.ts";

const usage = "Usage: /sandbox [auto|required|off|allow <host>|write <path>]";

export const sandbox: SlashCommand = {
	name: "sandbox",
	group: "Tools",
	argumentHint: "[auto|required|off|allow|write]",
	description: "Show or change the sandbox of commands",
	complete: (prefix) =>
		[...sandboxModes, "allow", "write"]
			.filter((name) => name.startsWith(prefix))
			.map((name) => ({ value: name, label: name })),
	async run(args, host) {
		const [word = "", ...rest] = args.split(/\s+/).filter(Boolean);
		const value = rest.join(" ");
		if (word === "") return show(host);
		const mode = sandboxModes.find((name) => name === word.toLowerCase());
		if (mode && value === "") return setMode(host, mode);
		const [, port] = /^(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(value) ?? [];
		if (word === "allow" && port !== undefined)
			return allow(host, { setting: "sandbox.network.local", values: [port] });
		if (word === "allow" && value !== "")
			return add(host, "sandbox.network.allow", value, `Commands can reach ${value} in this session.`);
		if (word !== "write" || value === "") throw new Error(usage);
		const path = pathArgument(value, host.cwd);
		return add(host, "sandbox.writable", path, `Commands can write to ${shortenHome(path)} in this session.`);
	},
};

async function show(host: InteractiveHost): Promise<void> {
	const { cwd, settings } = host;
	const { policy } = host.sessionHost;
	const options = { cwd, settings, env: process.env, policy: { mode: () => policy?.mode } };
	await using described = new SessionSandbox(options);
	const state = described.isWanted ? "commands run inside" : "commands run outside";
	const lines = sandboxLines(await explainSandbox(described, settings.get("sandbox.network.allow")));
	const all = [`Mode ${described.mode}: ${state}.`, ...lines];
	host.print(report(host.theme, (width, theme) => all.flatMap((line) => drawLine(line, width, theme))));
	const { denied = [] } = host.env.sandbox ?? {};
	if (denied.length > 0) listDenied(host, denied);
}

/** What was denied; an allowed one leaves the list. */
function listDenied(host: InteractiveHost, denied: Denial[]): void {
	openSelector(host, (screen, close) => {
		const component = denialsSelector(screen, {
			denials: () => denied.toReversed(),
			async allow(denial) {
				if (denial.allow) await allow(host, denial.allow);
				denied.splice(denied.indexOf(denial), 1);
				component.refresh();
				if (denied.length === 0) close();
			},
			close,
		});
		return { component };
	});
}

async function allow(host: InteractiveHost, rule: AllowedBy): Promise<void> {
	const { setting, values } = rule;
	if (setting === "sandbox.unixSockets") await apply(host, setting, true);
	else await apply(host, setting, [...new Set([...host.settings.get(setting), ...values])]);
	if (setting === "sandbox.network.local")
		for (const port of values) await host.env.sandbox?.requestLocal(Number(port));
	host.notify(`Allowed in this session. To keep it: ${allowText(rule)}`, "success");
}

/** What belongs to a heading is indented below it, also where it is wrapped. */
function drawLine(line: string, width: number, theme: Theme): string[] {
	const [indent = ""] = /^ */.exec(line) ?? [];
	const color = indent === "" ? "text" : "muted";
	const rows = wrapTextWithAnsi(line.trimStart(), Math.max(1, width - indent.length));
	return rows.map((row) => indent + theme.fg(color, row));
}

async function setMode(host: InteractiveHost, mode: (typeof sandboxModes)[number]): Promise<void> {
	// What the user says now wins over the command line.
	delete process.env.TAU_SANDBOX;
	await apply(host, "sandbox.mode", mode);
	host.sessionHost.policy?.refresh();
	const options = { cwd: host.cwd, settings: host.settings, env: process.env };
	await using changed = new SessionSandbox(options);
	if (changed.mode !== mode)
		return host.notify(`The sandbox stays ${changed.mode}: this project requires it.`, "warning");
	host.notify(`Sandbox ${mode} in this session.`, mode === "off" ? "warning" : "success");
}

async function add(
	host: InteractiveHost,
	path: "sandbox.network.allow" | "sandbox.writable",
	value: string,
	message: string,
): Promise<void> {
	await apply(host, path, [...new Set([...host.settings.get(path), value])]);
	host.notify(`${message} Put it in ${path} to keep it.`, "success");
}

async function apply(
	host: InteractiveHost,
	path: Parameters<typeof host.settings.get>[0],
	value: unknown,
): Promise<void> {
	const outcome = await host.sessionHost.apply({ type: "setting", path, value });
	if (!outcome.ok) throw new Error(outcome.reason);
}
