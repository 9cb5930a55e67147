/** What each editor has to know to start Tau as its agent, and how its file is changed for that and changed back. */
import { json, withMember, withoutMember } from "./json-member.ts";

/** How Tau is started. */
interface Start {
	command: string;
	args: string[];
}

export interface Editor {
	name: string;
	/** Below the home directory; the first that is there counts, otherwise the last. */
	files: readonly [string, ...string[]];
	/** One of them is there if the editor is used. */
	directories: readonly string[];
	/** For people who change the file themselves. */
	text(start: Start): string;
	/** The file with Tau in it; undefined if it is there already, or the file cannot be changed safely. */
	add(text: string, start: Start): string | undefined;
	/** The file without Tau, empty if nothing else was in it; undefined if Tau is not there. */
	remove(text: string): string | undefined;
}

const member: [string, string] = ["agent_servers", "Tau"];
const mark = "tau setup acp";

export const editors: readonly Editor[] = [
	inJson("Zed", ".config/zed/settings.json", { type: "custom" }),
	inJson("JetBrains IDEs", ".jetbrains/acp.json", {}),
	{
		name: "Neovim (CodeCompanion, avante.nvim)",
		// Neovim reads it by itself, after the plugins: no file of the user is changed.
		files: [".config/nvim/after/plugin/tau.lua"],
		directories: [".config/nvim"],
		text: neovim,
		add: (text, start) => (text === "" || isOwn(text) ? changed(text, neovim(start)) : undefined),
		remove: (text) => (isOwn(text) ? "" : undefined),
	},
	{
		name: "Emacs (agent-shell)",
		files: [".emacs", ".emacs.el", ".config/emacs/init.el", ".emacs.d/init.el"],
		directories: [".emacs.d", ".config/emacs"],
		text: agentShell,
		add: (text, start) => changed(text, withBlock(text, agentShell(start))),
		remove: (text) => (block.test(text) ? text.replace(block, "") : undefined),
	},
];

function inJson(name: string, file: string, extra: object): Editor {
	const entry = (start: Start): object => ({ ...extra, ...start, env: {} });
	return {
		name,
		files: [file],
		directories: [file.slice(0, file.lastIndexOf("/"))],
		text: (start) => `${json({ [member[0]]: { [member[1]]: entry(start) } })}\n`,
		add: (text, start) => withMember(text, member, entry(start)),
		remove: (text) => withoutMember(text, member),
	};
}

function changed(before: string, after: string): string | undefined {
	return before === after ? undefined : after;
}

function isOwn(text: string): boolean {
	return text.startsWith(`-- ${mark}`);
}

/** Between two lines of comment, so that it is found again; a copy with another path is replaced. */
const block = new RegExp(`\\n?;; >>> ${mark} >>>\\n[^]*?;; <<< ${mark} <<<\\n`);

function withBlock(text: string, code: string): string {
	const marked = `;; >>> ${mark} >>>\n${code};; <<< ${mark} <<<\n`;
	if (block.test(text)) return text.replace(block, (old) => (old.startsWith("\n") ? "\n" : "") + marked);
	if (text === "") return marked;
	return `${text}${text.endsWith("\n") ? "" : "\n"}\n${marked}`;
}

/** Lua and Emacs Lisp read the strings of JSON, as far as paths need them. */
function quoted(text: string): string {
	return JSON.stringify(text);
}

/** The plugins may be loaded later, or not at all; what the user has set for them stays. */
function neovim({ command, args }: Start): string {
	const words = args.map(quoted).join(", ");
	return `-- ${mark}: offers Tau to CodeCompanion (:CodeCompanionChat adapter=tau) and avante.nvim (:AvanteSwitchProvider tau).
-- tau setup acp --remove deletes this file.
local command, args = ${quoted(command)}, { ${words} }

local function codecompanion()
  local config = package.loaded["codecompanion.config"]
  local adapters = config and config.adapters and config.adapters.acp
  if not adapters then return false end
  adapters.tau = function()
    return {
      name = "tau",
      formatted_name = "Tau",
      type = "acp",
      roles = { llm = "assistant", user = "user" },
      commands = { default = { command, unpack(args) } },
      defaults = { mcpServers = {}, timeout = 20000 },
      parameters = {
        protocolVersion = 1,
        clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
        clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
      },
      handlers = {
        setup = function() return true end,
        auth = function() return true end,
        form_messages = require("codecompanion.adapters.acp.helpers").form_messages,
        on_exit = function() end,
      },
    }
  end
  return true
end

local function avante()
  local config = package.loaded["avante.config"]
  if not (config and config.override) then return false end
  return (pcall(config.override, { acp_providers = { tau = { command = command, args = args } } }))
end

local waiting = { codecompanion, avante }
local function offer()
  waiting = vim.tbl_filter(function(add) return not add() end, waiting)
  return #waiting == 0
end

if not offer() then
  vim.api.nvim_create_autocmd({ "VimEnter", "CmdlineEnter" }, { callback = offer })
  vim.api.nvim_create_autocmd("User", { pattern = { "LazyLoad", "VeryLazy" }, callback = offer })
end
`;
}

function agentShell({ command, args }: Start): string {
	return `(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
    (agent-shell-make-agent-config
      :identifier 'tau :mode-line-name "Tau" :buffer-name "Tau"
      :shell-prompt "Tau> " :shell-prompt-regexp "Tau> "
      :client-maker (lambda (buffer)
        (agent-shell--make-acp-client :command ${quoted(command)}
          :command-params '(${args.map(quoted).join(" ")}) :context-buffer buffer)))))
`;
}
