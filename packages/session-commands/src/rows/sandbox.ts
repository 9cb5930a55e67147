/** `/sandbox`: shows what the model's commands can see, write and reach, and changes it for this session. */
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { sandboxModes, SessionSandbox } from "@tau/session/sandbox";
import type { SettingPath } from "@tau/config/settings";
import { allowText, type AllowedBy, type Denial } from "@tau/machines/sandbox/denial";
import { shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { pathArgument, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { explainSandbox, sandboxLines } from "../work/explain-sandbox.ts";

const usage = "Usage: /sandbox [auto|required|off|allow <host>|write <path>|permit <what was denied>]";

export interface SandboxData {
	mode: string;
	lines: readonly string[];
	/** What was denied to commands in this session. */
	denied: readonly Denial[];
}

export const sandbox: SessionCommand = {
	name: "sandbox",
	group: "Tools",
	argumentHint: "[auto|required|off|allow|write|permit]",
	description: "Show or change the sandbox of commands",
	right: "control",
	shows: [""],
	complete: (prefix) =>
		[...sandboxModes, "allow", "write", "permit"]
			.filter((name) => name.startsWith(prefix))
			.map((name) => ({ value: name, label: name })),
	async run(args, target) {
		const [word = "", ...rest] = args.split(/\s+/).filter(Boolean);
		const value = rest.join(" ");
		if (word === "") return show(target);
		const mode = sandboxModes.find((name) => name === word.toLowerCase());
		if (mode && value === "") return setMode(target, mode);
		const [, port] = /^(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(value) ?? [];
		if (word === "allow" && port !== undefined)
			return allow(target, { setting: "sandbox.network.local", values: [port] });
		if (word === "allow" && value !== "")
			return add(target, "sandbox.network.allow", value, `Commands can reach ${value} in this session.`);
		if (word === "permit" && value !== "") return permit(target, args.replace(/^\s*permit\s+/, ""));
		if (word !== "write" || value === "") throw new UserError(usage);
		const path = pathArgument(value, target.cwd);
		return add(
			target,
			"sandbox.writable",
			path,
			`Commands can write to ${shortenHome(path)} in this session.`,
		);
	},
};

async function show(target: CommandTarget): Promise<CommandReply> {
	const { cwd, settings } = target;
	const { policy } = target.host;
	const options = { cwd, settings, env: process.env, policy: { mode: () => policy?.mode } };
	await using described = new SessionSandbox(options);
	const state = described.isWanted ? "commands run inside" : "commands run outside";
	const lines = [
		`Mode ${described.mode}: ${state}.`,
		...sandboxLines(await explainSandbox(described, settings.get("sandbox.network.allow"))),
	];
	const denied = (target.env().sandbox?.denied ?? []).map((denial) => ({ ...denial }));
	const data: SandboxData = { mode: described.mode, lines, denied };
	return { ...reply(lines.join("\n")), data };
}

/** Allows what was denied, and forgets that it was. */
async function permit(target: CommandTarget, what: string): Promise<CommandReply> {
	const denied = target.env().sandbox?.denied ?? [];
	const denial = denied.find((each) => each.what === what);
	if (!denial) throw new UserError(`Nothing that was denied is called "${what}".`);
	const replied = denial.allow ? await allow(target, denial.allow) : {};
	denied.splice(denied.indexOf(denial), 1);
	return replied;
}

async function allow(target: CommandTarget, rule: AllowedBy): Promise<CommandReply> {
	const { setting, values } = rule;
	if (setting === "sandbox.unixSockets") await apply(target, setting, true);
	else await apply(target, setting, [...new Set([...target.settings.get(setting), ...values])]);
	if (setting === "sandbox.network.local")
		for (const port of values) await target.env().sandbox?.requestLocal(Number(port));
	return reply(`Allowed in this session. To keep it: ${allowText(rule)}`, "success");
}

async function setMode(target: CommandTarget, mode: (typeof sandboxModes)[number]): Promise<CommandReply> {
	// What the user says now wins over the command line.
	delete process.env.TAU_SANDBOX;
	await apply(target, "sandbox.mode", mode);
	target.host.policy?.refresh();
	const options = { cwd: target.cwd, settings: target.settings, env: process.env };
	await using changed = new SessionSandbox(options);
	const data = { mode: changed.mode };
	if (changed.mode !== mode)
		return { ...reply(`The sandbox stays ${changed.mode}: this project requires it.`, "warning"), data };
	return { ...reply(`Sandbox ${mode} in this session.`, mode === "off" ? "warning" : "success"), data };
}

async function add(
	target: CommandTarget,
	path: "sandbox.network.allow" | "sandbox.writable",
	value: string,
	message: string,
): Promise<CommandReply> {
	await apply(target, path, [...new Set([...target.settings.get(path), value])]);
	return reply(`${message} Put it in ${path} to keep it.`, "success");
}

async function apply({ host }: CommandTarget, path: SettingPath, value: unknown): Promise<void> {
	assertOutcome(await host.apply({ type: "setting", path, value }));
}
