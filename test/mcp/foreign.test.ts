/** Servers in the files of other programs: each format starts, its tools are called, and changes apply while Tau runs. */
import { expect, test } from "bun:test";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { openTau } from "../interactive/driver.ts";
import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";
import { bun, lastResult, model } from "./configured.ts";

const file = join(import.meta.dir, "plain-server.ts");
const env = (name: string) => ({ MCP_MODE: "environment", WHO: `${name}!` });
const plain = (name: string) => ({ command: bun, args: [file], env: env(name) });
const json =
	(...keys: readonly string[]) =>
	(name: string): string =>
		JSON.stringify(keys.reduceRight<object>((inner, key) => ({ [key]: inner }), { [name]: plain(name) }));
const toml = (name: string): string =>
	`[mcp_servers.${name}]\ncommand = "${bun}"\nargs = ["${file}"]\n[mcp_servers.${name}.env]\nMCP_MODE = "environment"\nWHO = "${name}!"\n`;
const opencode = (name: string): string =>
	`// with comments\n${JSON.stringify({ mcp: { [name]: { type: "local", command: [bun, file], environment: env(name) } } })}`;

type Format = [name: string, path: string, write: (name: string) => string];

const ofUser = (project: string): Format[] => [
	["tau", ".tau/agent/mcp.json", json("mcpServers")],
	["claude", ".claude.json", json("projects", project, "mcpServers")],
	["desktop", ".config/Claude/claude_desktop_config.json", json("mcpServers")],
	["codex", ".codex/config.toml", toml],
	["gemini", ".gemini/settings.json", json("mcpServers")],
	["cursor", ".cursor/mcp.json", json("mcpServers")],
	["windsurf", ".codeium/windsurf/mcp_config.json", json("mcpServers")],
	["vscode", ".config/Code/User/mcp.json", json("servers")],
	["vssettings", ".config/Code/User/settings.json", json("mcp", "servers")],
	["opencode", ".config/opencode/opencode.jsonc", opencode],
	["copilot", ".copilot/mcp-config.json", json("mcpServers")],
	["omp", ".omp/agent/mcp.json", json("mcpServers")],
];

const ofProject: Format[] = [
	["tau", ".tau/mcp.json", json("mcpServers")],
	["json", ".mcp.json", json("mcpServers")],
	["root", "mcp.json", json("mcpServers")],
	["codex", ".codex/config.toml", toml],
	["gemini", ".gemini/settings.json", json("mcpServers")],
	["cursor", ".cursor/mcp.json", json("mcpServers")],
	["vscode", ".vscode/mcp.json", json("servers")],
	["vssettings", ".vscode/settings.json", json("mcp.servers")],
	["opencode", "opencode.json", opencode],
	["omp", ".omp/mcp.json", json("mcpServers")],
];

function write(base: string, formats: readonly Format[]): void {
	for (const [name, path, textOf] of formats) writeTestFile(join(base, path), textOf(name));
}

/** One answer with a call for each server: its result names the server. */
function callAll(formats: readonly Format[]): Scenario["steps"][number] {
	const blocks = formats.map(([name]) => ({
		toolCall: { name: `mcp_${name}_echo`, arguments: { text: "this is $WHO" } },
	}));
	return { answer: { blocks } };
}

function expectAll(tau: Launched, formats: readonly Format[]): void {
	for (const [name] of formats) expect(lastResult(tau, 1)).toContain(`echo: this is ${name}! in`);
}

test("servers in the user's files of every program start, and their tools are called", async () => {
	const formats = ofUser("");
	await using tau = await launch({ steps: [callAll(formats), "Done."] });
	write(tau.home, ofUser(tau.project));
	expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n", err: "" });
	expectAll(tau, formats);
});

test("servers in a project's files of every program start after a yes that names their files", async () => {
	await using tau = await launch({ steps: [callAll(ofProject), "Done."] });
	write(tau.project, ofProject);
	await using ui = await openTau({ steps: [] }, { home: tau, cols: 160, rows: 50, args: ["--auto-approve"] });
	await ui.until("Trust this project's code?");
	await ui.until("plain-server.ts");
	ui.press("down", "enter");
	await ui.untilGone("Trust this project's code?");
	ui.type("go\r");
	await ui.until("Done.");
	expectAll(tau, ofProject);
});

test("files of other programs are noticed while Tau runs, also ones in new directories; a torn one costs nothing", async () => {
	await using tau = await launch({ steps: [] });
	const [own, ...formats] = ofUser(tau.project);
	if (own) write(tau.home, [own]);
	await using ui = await openTau({ steps: [] }, { home: tau, cols: 120, rows: 40 });
	await ui.until("played-1");
	// The files are watched before the first server starts, and the list follows what happens.
	ui.type("/mcp\r");
	await ui.until(/tau +ready/);
	write(tau.home, formats);
	for (const [name] of formats) await ui.until(new RegExp(`${name} +ready`));
	const claude = join(tau.home, ".claude.json");
	writeTestFile(claude, '{ "mcpServers": ');
	await ui.until("MCP servers: ~/.claude.json");
	await ui.until(/claude +ready/);
	writeTestFile(claude, "{}");
	await ui.untilGone(/claude +ready/);
	// A link into a repository of settings.
	const dotfiles = join(tau.home, "dotfiles/mcp.json");
	writeTestFile(dotfiles, "{}");
	rmSync(join(tau.home, ".cursor/mcp.json"));
	symlinkSync(dotfiles, join(tau.home, ".cursor/mcp.json"));
	await ui.untilGone(/cursor +ready/);
	writeTestFile(dotfiles, json("mcpServers")("linked"));
	await ui.until(/linked +ready/);
	renameSync(join(tau.home, ".codex"), join(tau.home, ".codex-old"));
	await ui.untilGone(/codex +ready/);
});
