/** `/status`: what this session works with: version, account, model, directories, tools, jobs. */
import { existsSync } from "node:fs";
import { basename } from "node:path";

import { dirs, shortenHome, version } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import { plain } from "../selectors/kit/row.ts";
import { plural, tokens } from "../views/format.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

export const status: SlashCommand = {
	name: "status",
	group: "Session",
	description: "Show version, account, model, directories, sandbox, servers and settings in use",
	async run(_, host) {
		const { session, log, settings } = host;
		const { model, thinkingLevel } = session.state;
		const { tokens: used, contextWindow, percent } = session.contextUsage();
		const files = settings.sources.map(({ path }) => path).filter((path) => existsSync(path));
		host.print(
			linesBlock(host, [
				["version", version],
				["model", `${model.provider}/${model.id}, thinking ${thinkingLevel}`],
				["account", accountOf(host)],
				...profileLine(),
				[
					"context",
					contextWindow > 0
						? `${tokens(used)} of ${tokens(contextWindow)} tokens (${percent.toFixed(1)}%)`
						: `${tokens(used)} tokens`,
				],
				["session", `${log.getSessionName() ?? "unnamed"}, ${log.getSessionId()}`],
				["directory", `${shortenHome(host.cwd)} (${host.isTrusted ? "trusted" : "not trusted"})`],
				...settings
					.get("additionalDirectories")
					.map((directory): [string, string] => ["", shortenHome(directory)]),
				["tools", toolsOf(host)],
				["commands", boundaryOf(host)],
				["mcp", await serversText(host)],
				["lsp", await languageServersText(host)],
				["background", plural(host.sessionHost.work.jobs.running(), "running job")],
				["settings", files.map((path) => shortenHome(path)).join(", ") || "defaults"],
			]),
		);
	},
};

/** Where the key comes from; never the key. */
function accountOf({ session: { model }, credentials, registry }: InteractiveHost): string {
	const stored = credentials.list().find(({ provider }) => provider === model.provider);
	if (stored)
		return `${stored.kind === "oauth" ? "login" : "stored key"}${stored.account ? ` of ${stored.account}` : ""}`;
	const origin = registry.keyOrigin(model.provider);
	return origin === undefined ? "none" : `API key from ${origin}`;
}

/** Where the model's commands run. */
function boundaryOf({ sessionHost: { policy } }: InteractiveHost): string {
	if (!policy) return "without rules";
	if (policy.boundary === "sandbox") return "run in the sandbox (/sandbox)";
	return policy.boundary === "container"
		? "run in this container"
		: "run without a sandbox (/sandbox, /doctor)";
}

async function serversText({ mcp }: InteractiveHost): Promise<string> {
	const servers = (await mcp?.())?.servers;
	if (!servers) return "off";
	return servers.map(({ name, state }) => `${plain(name)} (${state})`).join(", ") || "no servers";
}

async function languageServersText(host: InteractiveHost): Promise<string> {
	const { serversOf } = await import("../language-servers.ts");
	const { isEnabled, status: running } = serversOf(host.env);
	if (!isEnabled) return "off";
	return (
		running.map(({ name, state }) => `${plain(name)} (${state})`).join(", ") ||
		"none runs; one starts when needed"
	);
}

function profileLine(): [string, string][] {
	const { profile } = dirs();
	return profile === undefined ? [] : [["profile", basename(profile)]];
}

function toolsOf({ session, sessionHost: { policy } }: InteractiveHost): string {
	const entries = session.tools?.entries ?? [];
	const on = entries.filter(({ hiddenBy }) => hiddenBy.length === 0).length;
	const mode = policy ? `; approval mode ${policy.mode}` : "";
	return `${on} of ${entries.length} on${mode}`;
}
