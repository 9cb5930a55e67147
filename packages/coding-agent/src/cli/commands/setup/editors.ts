/** `tau setup acp`: how each editor starts Tau as its agent; where that is a plain file, it is written if the user agrees. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { isRecord, shortenHome } from "@tau/utils";

import { ownProgram } from "@tau/server/local/own-program";
import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { onInterrupt } from "../../signals.ts";
import { printed } from "../sessions/output.ts";

/** What an editor needs to know. */
interface Start {
	command: string;
	args: string[];
}

interface Editor {
	name: string;
	/** Where the configuration goes. */
	file: string;
	/** The directory that is there if the editor is used; absent where the file is code, which Tau does not change. */
	directory?: string;
	text(start: Start): string;
}

const section = "agent_servers";

const editors: readonly Editor[] = [
	{
		name: "Zed",
		file: ".config/zed/settings.json",
		directory: ".config/zed",
		text: (start) => json({ [section]: { Tau: { type: "custom", ...start, env: {} } } }),
	},
	{
		name: "JetBrains IDEs",
		file: ".jetbrains/acp.json",
		directory: ".jetbrains",
		text: (start) => json({ [section]: { Tau: { ...start, env: {} } } }),
	},
	{ name: "Neovim with CodeCompanion", file: ".config/nvim/init.lua", text: codeCompanion },
	{
		name: "Neovim with avante.nvim",
		file: ".config/nvim/init.lua",
		text: ({ command, args }) =>
			`require("avante").setup({\n  provider = "tau",\n  acp_providers = { tau = { command = ${quoted(command)}, args = { ${args.map(quoted).join(", ")} } } },\n})`,
	},
	{ name: "Emacs with agent-shell", file: ".emacs.d/init.el", text: agentShell },
];

export async function setUpEditors(args: Args): Promise<number> {
	const home = process.env.HOME ?? homedir();
	const [command = "tau", ...rest] = ownProgram();
	const start = { command, args: [...rest, "acp"] };
	const blocks = editors.map(({ name, file, text }) => `${name} (~/${file}):\n\n${text(start)}\n`);
	await printed(
		`${blocks.join("\n")}\nOther editors: start the command ${[command, ...start.args].join(" ")}\n`,
	);
	for (const { name, file, directory } of editors) {
		const path = join(home, file);
		if (directory === undefined || !existsSync(join(home, directory))) continue;
		const added = withTau(path, start, name === "Zed");
		if (added === undefined) continue;
		if (!(await isWanted(`Add Tau to ${shortenHome(path)} for ${name}?`, args))) continue;
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, added);
		await printed(`Added to ${shortenHome(path)}.\n`);
	}
	return exitCodes.answered;
}

/** Undefined if Tau is there already, or the file has comments or mistakes, which would be lost. */
function withTau(path: string, start: Start, isZed: boolean): string | undefined {
	let known: unknown = {};
	try {
		if (existsSync(path)) known = JSON.parse(readFileSync(path, "utf8"));
	} catch {
		// The user has the text above, and adds it by hand.
		return undefined;
	}
	if (!isRecord(known)) return undefined;
	const servers = isRecord(known[section]) ? known[section] : {};
	if ("Tau" in servers) return undefined;
	const tau = { ...(isZed ? { type: "custom" } : {}), ...start, env: {} };
	return `${json({ ...known, [section]: { ...servers, Tau: tau } })}\n`;
}

async function isWanted(question: string, { flags }: Args): Promise<boolean> {
	if (flags.has("yes")) return true;
	if (!process.stdin.isTTY) return false;
	using interruption = onInterrupt();
	return await confirm(question, interruption.signal);
}

function json(value: object): string {
	return JSON.stringify(value, undefined, 2);
}

/** Lua and Emacs Lisp read the strings of JSON, as far as paths need them. */
function quoted(text: string): string {
	return JSON.stringify(text);
}

function codeCompanion({ command, args }: Start): string {
	const words = [command, ...args].map(quoted).join(", ");
	return `require("codecompanion").setup({
  interactions = { chat = { adapter = "tau" } },
  adapters = { acp = { tau = function()
    local helpers = require("codecompanion.adapters.acp.helpers")
    return {
      name = "tau", formatted_name = "Tau", type = "acp",
      roles = { llm = "assistant", user = "user" },
      commands = { default = { ${words} } },
      defaults = { mcpServers = {}, timeout = 20000 },
      parameters = {
        protocolVersion = 1,
        clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
        clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
      },
      handlers = {
        setup = function() return true end,
        auth = function() return true end,
        form_messages = helpers.form_messages,
        on_exit = function() end,
      },
    }
  end } },
})`;
}

function agentShell({ command, args }: Start): string {
	return `(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
    (agent-shell-make-agent-config
      :identifier 'tau :mode-line-name "Tau" :buffer-name "Tau"
      :shell-prompt "Tau> " :shell-prompt-regexp "Tau> "
      :client-maker (lambda (buffer)
        (agent-shell--make-acp-client :command ${quoted(command)}
          :command-params '(${args.map(quoted).join(" ")}) :context-buffer buffer)))))`;
}
