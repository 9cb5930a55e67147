/** `/permissions` and `/tools`: what the user has allowed for longer than one call, and which tools the model has. */
import { assertOutcome } from "@tau/session/host";
import { UserError, type SessionTools, type ToolEntry, type ToolLayer } from "@tau/session/run";
import type { CommandReply, GrantInfo } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";

export const permissions: SessionCommand = {
	name: "permissions",
	group: "Tools",
	argumentHint: "[revoke <id>]",
	words: ["revoke"],
	description: "List and revoke what you have allowed",
	right: "control",
	shows: [""],
	async run(args, { host: { policy } }) {
		const [verb = "", id = ""] = args.split(/\s+/);
		if (verb !== "" && (verb !== "revoke" || id === ""))
			throw new UserError("Usage: /permissions [revoke <id>]");
		if (verb === "revoke" && !(await policy?.revoke(id))) throw new UserError(`There is no grant ${id}.`);
		const grants = (await policy?.grants()) ?? [];
		const lines = grants.map(({ id: each, rule, scope }) => `${each}  ${plain(rule)} (${scope})`);
		const data: GrantsData = { grants };
		return { ...reply(lines.length === 0 ? "No saved approvals." : lines.join("\n")), data };
	},
};

export interface GrantsData {
	grants: readonly GrantInfo[];
}

export interface ToolRow {
	name: string;
	label: string;
	description: string;
	/** What its schema takes of the context. */
	chars: number;
	isOn: boolean;
}

export interface ToolsData {
	tools: readonly ToolRow[];
}

export const tools: SessionCommand = {
	name: "tools",
	group: "Tools",
	argumentHint: "[on|off <tool>]",
	description: "Enable or disable tools for this session",
	right: "control",
	shows: [""],
	complete(prefix, { host }) {
		const [, verb] = /^(on|off)\s/.exec(prefix) ?? [];
		const names =
			verb === undefined ? ["on", "off"] : toolRows(host.session.tools).map(({ name }) => `${verb} ${name}`);
		return names.filter((name) => name.startsWith(prefix)).map((value) => ({ value, label: value }));
	},
	run(args, target) {
		const [verb = "", name = ""] = args.split(/\s+/);
		if (verb === "") return toolList(toolRows(target.host.session.tools));
		if ((verb !== "on" && verb !== "off") || name === "")
			throw new UserError("Usage: /tools [on|off <tool>]");
		return switched(target, name, verb === "on");
	},
};

async function switched(target: CommandTarget, name: string, isOn: boolean): Promise<CommandReply> {
	const row = toolRows(target.host.session.tools).find((each) => each.name === name);
	if (!row) throw new UserError(`There is no tool ${name}.`);
	if (row.isOn !== isOn) await switchTool(target, name);
	return toolList(toolRows(target.host.session.tools));
}

function toolList(rows: readonly ToolRow[]): CommandReply {
	const lines = rows.map(({ name, label, isOn }) => `${isOn ? "on " : "off"}  ${name}  ${plain(label)}`);
	const data: ToolsData = { tools: rows };
	return { ...reply(lines.join("\n")), data };
}

/** Tools that the settings exclude are not offered: the user has already decided against them. */
const unlisted: ReadonlySet<ToolLayer> = new Set(["settings", "agent", "policy"]);

/** What else has disabled a tool: the user cannot enable it here. */
const others: Readonly<Partial<Record<ToolLayer, string>>> = {
	extension: "off: an extension hides it",
	mode: "off in this mode",
};

export function toolRows(table: SessionTools | undefined): ToolRow[] {
	return (table?.entries ?? [])
		.filter(({ hiddenBy }) => !hiddenBy.some((layer) => unlisted.has(layer)))
		.map(({ tool, hiddenBy }) => ({
			name: tool.name,
			label: reasonOf(hiddenBy) ?? tool.label,
			description: tool.description,
			chars: tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
			isOn: hiddenBy.length === 0,
		}));
}

function reasonOf(hiddenBy: ToolEntry["hiddenBy"]): string | undefined {
	return hiddenBy.map((layer) => others[layer]).find((reason) => reason !== undefined);
}

/** Takes effect with the next request. */
async function switchTool({ host }: Pick<CommandTarget, "host">, name: string): Promise<void> {
	const hidden = withSwitched(host.session.tools, name);
	if (hidden) assertOutcome(await host.apply({ type: "tools", layer: "user", hidden }));
}

/** The tools that the user hides then; undefined if this one cannot be switched. */
export function withSwitched(table: SessionTools | undefined, name: string): Set<string> | undefined {
	const entry = table?.entries.find(({ tool }) => tool.name === name);
	if (!table || !entry) return undefined;
	const off = new Set(table.hidden("user"));
	if (off.has(name)) off.delete(name);
	else if (entry.hiddenBy.length === 0) off.add(name);
	return off;
}
