/** `tau setup acp`: editors get to know Tau, and nothing of their files is lost. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

test("the configuration of every editor is printed, and nothing is written without a yes", async () => {
	await using tau = await launch({ steps: [] });
	mkdirSync(join(tau.home, ".config/zed"), { recursive: true });
	const { out, code } = await tau.run(["setup", "acp"]);
	expect(code).toBe(0);
	for (const word of ["agent_servers", "acp_providers", "codecompanion", "agent-shell-make-agent-config"])
		expect(out).toContain(word);
	expect(existsSync(join(tau.home, ".config/zed/settings.json"))).toBe(false);
});

const zedText = `// mine
{
  "theme": "One", // not "agent_servers": {
  "vim_mode": true,
}
`;

test("with a yes it is added to what is there, once, with every comment, and removed without a trace", async () => {
	await using tau = await launch({ steps: [] });
	const files = {
		".config/zed/settings.json": zedText,
		".jetbrains/acp.json": '{"agent_servers":{"Other":{"command":"other"}}}',
		".emacs.d/init.el": "(setq mine 1)",
	};
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(dirname(join(tau.home, file)), { recursive: true });
		writeFileSync(join(tau.home, file), text);
	}
	mkdirSync(join(tau.home, ".config/nvim"));
	const texts = (): string[] => Object.keys(files).map((file) => readFileSync(join(tau.home, file), "utf8"));
	await tau.run(["setup", "acp", "--yes"]);
	const [zed = "", jetbrains = "", emacs = ""] = texts();
	const server = { args: ["acp"], command: expect.stringMatching(/^\//) };
	expect(Bun.JSONC.parse(zed)).toMatchObject({ theme: "One", agent_servers: { Tau: server } });
	expect(zed).toContain('"One", // not "agent_servers": {');
	expect(JSON.parse(jetbrains)).toMatchObject({
		agent_servers: { Other: { command: "other" }, Tau: server },
	});
	expect(emacs).toStartWith("(setq mine 1)\n\n;; >>>");
	const lua = join(tau.home, ".config/nvim/after/plugin/tau.lua");
	expect(existsSync(lua)).toBe(true);
	const again = await tau.run(["setup", "acp", "--yes"]);
	expect(again.out).not.toContain("Added to");
	expect(texts()).toEqual([zed, jetbrains, emacs]);
	expect((await tau.run(["setup", "acp", "--remove"])).out).toBe("");
	expect(texts()).toEqual([zed, jetbrains, emacs]);
	await tau.run(["setup", "acp", "--remove", "--yes"]);
	expect(texts()).toEqual([zedText, files[".jetbrains/acp.json"], "(setq mine 1)\n"]);
	expect(existsSync(lua)).toBe(false);
});

test("a file with a mistake, an entry of the user's own and a file of the same name are left alone", async () => {
	await using tau = await launch({ steps: [] });
	const files = {
		".config/zed/settings.json": "{ torn",
		".jetbrains/acp.json": '{"agent_servers":{"Tau":{"command":"mine"}}}',
		".config/nvim/after/plugin/tau.lua": "-- mine",
	};
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(dirname(join(tau.home, file)), { recursive: true });
		writeFileSync(join(tau.home, file), text);
	}
	expect((await tau.run(["setup", "acp", "--yes"])).out).not.toContain("Added to");
	for (const [file, text] of Object.entries(files))
		expect(readFileSync(join(tau.home, file), "utf8")).toBe(text);
});

needs("nvim")(
	"Neovim offers Tau in a plugin that is loaded later, and says nothing without one",
	async () => {
		await using tau = await launch({ steps: [] });
		const config = join(tau.home, ".config/nvim");
		mkdirSync(join(config, "lua/codecompanion/adapters/acp"), { recursive: true });
		// As far as the plugins are asked for something.
		const modules = {
			"codecompanion/config.lua": "return { adapters = { acp = { other = {} } } }",
			"codecompanion/adapters/acp/helpers.lua": "return { form_messages = function() end }",
			"avante.lua": "return {}",
		};
		for (const [file, text] of Object.entries(modules)) writeFileSync(join(config, "lua", file), text);
		mkdirSync(join(config, "lua/avante"));
		writeFileSync(
			join(config, "lua/avante/config.lua"),
			"local M = {}; M.override = function(opts) M.opts = opts end; return M",
		);
		await tau.run(["setup", "acp", "--yes"]);
		const script = `lua require("codecompanion.config"); require("avante.config")
lua vim.cmd("doautocmd User VeryLazy")
lua print(vim.json.encode({ require("codecompanion.config").adapters.acp.tau().commands.default, require("avante.config").opts.acp_providers.tau, vim.tbl_keys(require("codecompanion.config").adapters.acp) }))`;
		const run = (lines: string): string => {
			const commands = lines.split("\n").flatMap((line) => ["-c", line]);
			const { stderr, stdout } = Bun.spawnSync(["nvim", "--headless", ...commands, "-c", "qa!"], {
				env: tau.env,
				cwd: tau.project,
			});
			return `${stdout}${stderr}`.trim();
		};
		expect(run("echo")).toBe("");
		const [words, provider, names] = JSON.parse(run(script)) as [string[], object, string[]];
		expect(words.at(-1)).toBe("acp");
		expect(provider).toEqual({ command: words[0], args: words.slice(1) });
		expect(names.toSorted()).toEqual(["other", "tau"]);
	},
);

needs("emacs")("Emacs offers Tau when agent-shell is loaded", async () => {
	await using tau = await launch({ steps: [] });
	mkdirSync(join(tau.home, ".emacs.d"));
	await tau.run(["setup", "acp", "--yes"]);
	writeFileSync(
		join(tau.home, ".emacs.d/agent-shell.el"),
		`(require 'cl-lib)
(defvar agent-shell-agent-configs '(other))
(cl-defun agent-shell-make-agent-config (&key identifier mode-line-name buffer-name shell-prompt shell-prompt-regexp client-maker)
  (list identifier (funcall client-maker nil)))
(cl-defun agent-shell--make-acp-client (&key command command-params context-buffer) (cons command command-params))
(provide 'agent-shell)`,
	);
	const load = ["init.el", "agent-shell.el"].flatMap((file) => ["-l", join(tau.home, ".emacs.d", file)]);
	const { stdout } = Bun.spawnSync(
		["emacs", "--batch", "-Q", ...load, "--eval", "(prin1 agent-shell-agent-configs)"],
		{ env: tau.env, cwd: tau.project },
	);
	expect(String(stdout)).toMatch(/^\(\(tau \("\/.*" "acp"\)\) other\)$/);
});
