/** docs/FEATURES.md is true in both directions: the program knows every name of a working row, and none of a planned one. */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { findTables } from "../architecture/markdown.ts";
import { readFiles } from "../architecture/tree.ts";
import { root } from "../support/launch.ts";

type Kind = "flag" | "command" | "slash command" | "setting" | "variable" | "protocol";

interface Name {
	kind: Kind;
	name: string;
	capability: string;
	/** The state of its row. */
	state: string;
}

const forms: Readonly<Record<Kind, RegExp>> = {
	flag: /(?<![\w-])--[a-z][a-z-]+/g,
	command: /^tau [a-z][a-z-]+/g,
	"slash command": /^\/[a-z][a-z-]*/g,
	setting: /^[a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)+(?=$|[:=])/g,
	variable: /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b(?!\*)/g,
	protocol: /^api: [a-z-]+/g,
};

/** Names that have the form of another kind: members of the API, files, prompts, flags of `npm run`. */
const otherNames: ReadonlySet<string> = new Set([
	"a.zip",
	"agent.db",
	"config.yml",
	"ctx.executeTool",
	"ctx.hasUI",
	"ctx.tools",
	"ctx.ui",
	"db.sqlite",
	"hooks.json",
	"keybindings.yml",
	"mcp.json",
	"models.yml",
	"package.json",
	"pi.zod",
	"session.compacting",
	"session.usage",
	"settings.json",
	"trust.json",
	"web.renderer",
	"web.toolRenderer",
	// Commands with a part of their own after the colon, and of a bundled extension.
	"/skill",
	// Directories, and the actions of keys.
	"/proc",
	"/tmp",
	"/var",
	// Addresses of a server.
	"/api",
	"/ws",
	"app.dialog.amend",
	"app.dialog.focus",
	"app.offer.accept",
	"app.offer.never",
	"app.terminal.leave",
	"/mu-tools",
	"/loop",
	"tau fix",
	"--peers",
	"--port",
	// Read by Bun itself.
	"HTTPS_PROXY",
]);

/** Names that work today for another capability than the planned one. */
const sharedNames: ReadonlySet<string> = new Set([
	"--mode",
	"/context",
	"GEMINI_API_KEY",
	"GITHUB_TOKEN",
	"GOOGLE_API_KEY",
	"OPENROUTER_API_KEY",
	// The name is reserved; the command answers that it is not available yet.
	"/mcp",
	"/share",
	// Parts of them are planned.
	"/collab",
	"tau stats",
	// Stored as a credential; no protocol uses it.
	"CURSOR_ACCESS_TOKEN",
]);

const known = new Map<Kind, (name: string) => boolean>();
let names: Name[] = [];

beforeAll(async () => {
	const help = await printed("--help");
	const [, section = ""] = help.split(/^Commands:$/m);
	const [list = ""] = section.trim().split("\n\n");
	const commands = [...list.matchAll(/^ {0,2}([a-z-]+) /gm)].map(([, command = ""]) => command);
	const pages = await Promise.all(commands.map((command) => printed("help", command)));
	const [slash, page, files] = await Promise.all([
		Bun.file(join(root, "docs/commands.md")).text(),
		Bun.file(join(root, "docs/FEATURES.md")).text(),
		readFiles(root, isSource),
	]);
	const settings = new Set((await printed("config", "list")).match(/^\S+/gm));
	const words = new Set(files.flatMap(({ text }) => text.match(/[A-Za-z][A-Za-z0-9_-]+/g) ?? []));
	const flags = new Set([help, ...pages].flatMap((text) => text.match(/--[a-z][a-z-]+/g) ?? []));
	known.set("flag", (name) => flags.has(name));
	known.set("command", (name) => commands.includes(name.slice("tau ".length)));
	known.set("slash command", (name) => new RegExp(`\`${name}[\` ]`).test(slash));
	known.set(
		"setting",
		(name) => settings.has(name) || [...settings].some((path) => path.startsWith(`${name}.`)),
	);
	// `TAU_STREAM_IDLE_TIMEOUT_MS` may be composed of a prefix and the rest.
	known.set("variable", (name) => words.has(name) || words.has(name.replace(/^TAU_/, "")));
	known.set("protocol", (name) => words.has(name.slice("api: ".length)));
	names = namesIn(page);
});

function isSource(path: string): boolean {
	return /^packages\/.*\.(?:ts|json)$/.test(path) && !/\.test\.ts$|\/testing\/|\/fixtures\//.test(path);
}

async function printed(...args: string[]): Promise<string> {
	const child = Bun.spawn([join(root, "tau"), ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	if (code !== 0) throw new Error(`tau ${args.join(" ")} ended with ${code}: ${err}`);
	return out;
}

function namesIn(page: string): Name[] {
	return findTables(page).flatMap(({ rows }) =>
		rows.flatMap(({ cells: [capability = "", state = "", reached = ""] }) =>
			[...reached.matchAll(/`([^`]+)`/g)].flatMap(([, span = ""]) =>
				Object.entries(forms).flatMap(([kind, form]) =>
					(span.match(form) ?? []).map((name) => ({ kind: kind as Kind, name, capability, state })),
				),
			),
		),
	);
}

function isKnown({ kind, name }: Name): boolean {
	return otherNames.has(name) || (known.get(kind)?.(name) ?? false);
}

function shown({ kind, name, capability }: Name): string {
	return `${kind} ${name}: ${capability}`;
}

describe("docs/FEATURES.md", () => {
	test("names only flags, commands, settings and variables that the program knows", () => {
		const working = names.filter(({ state }) => state === "works" || state === "partly");
		expect(working.length).toBeGreaterThan(150);
		expect(working.filter((name) => !isKnown(name)).map(shown)).toEqual([]);
	});

	test("marks nothing as planned that the program has", () => {
		const planned = names.filter(({ state, name }) => state === "not yet" && !sharedNames.has(name));
		expect(planned.filter(isKnown).map(shown)).toEqual([]);
	});
});
