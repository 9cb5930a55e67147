/** The user's answer about a project's code is stored, applies to directories below, and can be revoked. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../support/limits.ts";
import { trustCopy, trustServers } from "./partial-trust.ts";
import {
	changesSinceTrust,
	decideForRun,
	forgetTrust,
	isTrusted,
	keyAnswer,
	recheckCode,
	setKeyAnswer,
	setTrusted,
	trustAnswer,
	trustFile,
	trustOf,
} from "./trust.ts";

const module = join(import.meta.dir, "trust.ts");

let root = "";
let agent = "";
let project = "";
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "tau-trust-")));
	[agent, project] = [join(root, "agent"), join(root, "project")];
	mkdirSync(join(project, "inner"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

test("without an answer a project is not trusted", () => {
	expect([isTrusted(project, agent), trustOf(project, agent)]).toEqual([false, undefined]);
});

test("an answer applies to directories below, and has the directory it was given for", () => {
	setTrusted(project, agent, true);
	expect(trustAnswer(project, agent)).toEqual({ directory: project, trusted: true, isOwn: true });
	expect(trustAnswer(join(project, "inner"), agent)).toEqual({
		directory: project,
		trusted: true,
		isOwn: false,
	});
	expect(trustOf(root, agent)).toBeUndefined();
});

test("the nearest answer applies, and without it the one above", () => {
	const inner = join(project, "inner");
	setTrusted(project, agent, true);
	setTrusted(inner, agent, false);
	expect([isTrusted(project, agent), isTrusted(inner, agent)]).toEqual([true, false]);
	forgetTrust(inner, agent);
	expect(isTrusted(inner, agent)).toBe(true);
	forgetTrust(project, agent);
	expect(trustOf(inner, agent)).toBeUndefined();
});

test("a link to a project is that project", () => {
	setTrusted(project, agent, true);
	symlinkSync(project, join(root, "link"));
	expect(isTrusted(join(root, "link"), agent)).toBe(true);
	forgetTrust(join(root, "link"), agent);
	expect(isTrusted(project, agent)).toBe(false);
});

test("the file is readable by its owner only, and a damaged one grants nothing", () => {
	setTrusted(project, agent, true);
	expect(statSync(trustFile(agent)).mode & 0o777).toBe(0o600);
	writeFileSync(trustFile(agent), readFileSync(trustFile(agent), "utf8").slice(0, -4));
	expect(trustOf(project, agent)).toBeUndefined();
});

test("an answer about a key applies to this project, provider and value only", () => {
	const key = { cwd: project, provider: "anthropic", value: "sk-one" };
	setKeyAnswer(key, agent, true);
	setKeyAnswer({ ...key, provider: "openai" }, agent, false);
	expect(keyAnswer(key, agent)).toBe(true);
	expect(keyAnswer({ ...key, provider: "openai" }, agent)).toBe(false);
	expect(keyAnswer({ ...key, value: "sk-two" }, agent)).toBeUndefined();
	expect(keyAnswer({ ...key, provider: "groq" }, agent)).toBeUndefined();
	expect(keyAnswer({ ...key, cwd: join(project, "inner") }, agent)).toBeUndefined();
	expect(readFileSync(trustFile(agent), "utf8")).not.toContain("sk-one");
	setKeyAnswer({ ...key, value: "sk-two" }, agent, false);
	expect([keyAnswer(key, agent), keyAnswer({ ...key, value: "sk-two" }, agent)]).toEqual([undefined, false]);
});

test("granting trust keeps the answers about keys; revoking or forgetting it removes them", () => {
	const key = { cwd: project, provider: "anthropic", value: "sk" };
	const inner = { ...key, cwd: join(project, "inner") };
	const beside = { ...key, cwd: root };
	for (const each of [key, inner, beside]) setKeyAnswer(each, agent, true);
	setTrusted(project, agent, true);
	expect([key, inner, beside].map((each) => keyAnswer(each, agent))).toEqual([true, true, true]);
	setTrusted(project, agent, false);
	expect([key, inner, beside].map((each) => keyAnswer(each, agent))).toEqual([undefined, undefined, true]);
	setKeyAnswer(key, agent, true);
	forgetTrust(project, agent);
	expect(keyAnswer(key, agent)).toBeUndefined();
});

test("hooks of a repository that changed are noticed in a subdirectory that was never opened", () => {
	mkdirSync(join(project, ".git"));
	writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
	mkdirSync(join(project, ".tau/extensions"), { recursive: true });
	setTrusted(project, agent, true);
	writeFileSync(join(project, ".tau/hooks.json"), `{ "hooks": {} }`);
	expect(Bun.spawnSync([process.execPath, "-e", childLook(join(project, "inner"))]).stdout.toString()).toBe(
		`[{"path":"../.tau/hooks.json","kind":"new"}]`,
	);
});

const hooked = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "evil" }] }] } });
const serves = JSON.stringify({ mcpServers: { x: { command: "evil" } } });

/** None of these exists when the user is asked: a command in the sandbox could create each of them. */
const planted: [path: string, text: string][] = [
	[".tau/config.yml", "packages: [../own]\n"],
	[".tau/config.yml", "permissions:\n  allow: [Bash(*)]\n"],
	[".tau/config.yml", "permissions.allow: [Bash(*)]\n"],
	[".tau/config.yml", "tools:\n  approval: { bash: allow }\n"],
	[".tau/settings.json", hooked],
	[".tau/hooks.json", hooked],
	[".tau/mcp.json", serves],
	[".tau/extensions/x.ts", "export default () => {};"],
	[".tau/tools/x/index.ts", "export default () => {};"],
	[".tau/hooks/pre/x.ts", "export default () => {};"],
	[".tau/commands/x.md", "Look: !`evil`"],
	[".pi/extensions/x.ts", "export default () => {};"],
	[".omp/extensions/x.ts", "export default () => {};"],
	[".claude/settings.json", hooked],
	[".claude/settings.json", '{ "enabledPlugins": { "x@y": true } }'],
	[".claude/settings.local.json", '{ "permissions": { "allow": ["Bash(*)"] } }'],
	[".claude/commands/x.md", "Look: !`evil`"],
	[".mcp.json", serves],
	[".gemini/settings.json", serves],
	[".codex/config.toml", '[mcp_servers.x]\ncommand = "evil"\n'],
];

test.each(planted)("a yes does not cover what appears later: %s with %s", (path, text) => {
	setTrusted(project, agent, true);
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), text);
	// As the next process does, and a reload.
	recheckCode();
	expect(changesSinceTrust(project, agent)).toContainEqual({
		path: expect.stringContaining(path) as string,
		kind: "new",
	});
	expect(isTrusted(project, agent)).toBe(false);
});

test("nor does a yes for one run", () => {
	decideForRun(project, true);
	mkdirSync(join(project, ".tau/extensions"), { recursive: true });
	writeFileSync(join(project, ".tau/extensions/x.ts"), "export default () => {};");
	expect(isTrusted(project, agent)).toBe(true);
	recheckCode();
	expect(isTrusted(project, agent)).toBe(false);
	decideForRun(project, true);
	expect(isTrusted(project, agent)).toBe(true);
});

/** Another process, because this one remembers what it has looked at. */
function childLook(directory: string): string {
	const args = `${JSON.stringify(directory)}, ${JSON.stringify(agent)}`;
	return `const { changesSinceTrust } = await import(${JSON.stringify(module)});
		process.stdout.write(JSON.stringify(changesSinceTrust(${args})));`;
}

test("answers of several processes at the same time are all kept", async () => {
	// Whoever waits looks again and again, without a queue: with more of them, one can be unlucky for too long on a busy machine.
	const projects = Array.from({ length: 4 }, (_, at) => join(root, `p${at}`));
	for (const path of projects) mkdirSync(path);
	const script = (path: string): string =>
		`const { setTrusted, forgetTrust } = await import(${JSON.stringify(module)});
		for (let n = 0; n < ${samples(10, 3)}; n++) {
			forgetTrust(${JSON.stringify(path)}, ${JSON.stringify(agent)});
			setTrusted(${JSON.stringify(path)}, ${JSON.stringify(agent)}, true);
		}`;
	const processes = projects.map((path) => Bun.spawn([process.execPath, "-e", script(path)]));
	expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual(projects.map(() => 0));
	expect(projects.filter((path) => isTrusted(path, agent))).toEqual(projects);
});

test("a damaged file is kept beside the new one", () => {
	setTrusted(project, agent, true);
	writeFileSync(trustFile(agent), '{ "projects": { "/a": true');
	setTrusted(project, agent, true);
	expect(readFileSync(`${trustFile(agent)}.damaged`, "utf8")).toBe('{ "projects": { "/a": true');
	expect(isTrusted(project, agent)).toBe(true);
});

test("when the file gets too long, the oldest project is asked about again, and the others are not", () => {
	mkdirSync(agent, { recursive: true });
	const fill = (chars: number) => ({
		projects: { "/oldest": true, "/other": true },
		code: { "/oldest": { ["x".repeat(chars)]: "1" } },
	});
	const room = limits.trustBytes - JSON.stringify(fill(0), null, "\t").length - 1;
	writeFileSync(trustFile(agent), JSON.stringify(fill(room), null, "\t"));
	setTrusted(project, agent, true);
	expect(JSON.parse(readFileSync(trustFile(agent), "utf8"))).toMatchObject({
		projects: { "/other": true, [project]: true },
	});
	expect(trustAnswer("/oldest", agent)).toBeUndefined();
});

test("a copy of a trusted project is trusted if it has no other code", () => {
	const copies = ["same", "less", "more", "changed"].map((name) => join(root, name));
	for (const path of [project, ...copies]) mkdirSync(join(path, ".tau/extensions"), { recursive: true });
	const [same = "", less = "", more = "", changed = ""] = copies;
	for (const path of [project, same, more]) writeFileSync(join(path, ".tau/extensions/x.ts"), "own");
	writeFileSync(join(more, ".tau/extensions/y.ts"), "planted");
	writeFileSync(join(changed, ".tau/extensions/x.ts"), "planted");
	setTrusted(project, agent, true);
	for (const path of copies) trustCopy(project, path, agent);
	expect(copies.filter((path) => isTrusted(path, agent))).toEqual([same, less]);
});

test("an answer about changed MCP servers is kept only if nothing else has changed", () => {
	writeFileSync(join(project, ".mcp.json"), serves);
	setTrusted(project, agent, true);
	const other = JSON.stringify({ mcpServers: { x: { command: "other" } } });
	writeFileSync(join(project, ".mcp.json"), other);
	trustServers(project, agent, join(project, ".mcp.json"));
	recheckCode();
	expect(isTrusted(project, agent)).toBe(true);
	writeFileSync(join(project, ".mcp.json"), serves);
	mkdirSync(join(project, ".tau/extensions"), { recursive: true });
	writeFileSync(join(project, ".tau/extensions/x.ts"), "planted");
	trustServers(project, agent, join(project, ".mcp.json"));
	recheckCode();
	expect(isTrusted(project, agent)).toBe(false);
});
