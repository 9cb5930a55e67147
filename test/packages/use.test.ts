/** Packages in a session: their contents are available, and gone when they are disabled. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { writeTree as put } from "../support/files.ts";
import { openTau } from "../interactive/driver.ts";
import { playRegistry } from "../support/registry.ts";
import { launch, root, type Finished, type Launched } from "../support/launch.ts";

const registry = playRegistry();
afterAll(() => registry[Symbol.dispose]());
const env = { npm_config_registry: registry.url };

function tau(home: Launched, ...args: string[]): Promise<Finished> {
	return home.run(args, { env });
}

registry.publish({ name: "greeting", version: "1.0.0" }, { "index.js": 'module.exports = "good morning";' });
registry.publish(
	{
		name: "demo-ext",
		version: "1.0.0",
		dependencies: { greeting: "^1.0.0" },
		pi: { extensions: ["./ext.ts"], skills: ["./skills"], prompts: ["./prompts/*.md"] },
	},
	{
		"ext.ts": `import greeting from "greeting";
			import { VERSION } from "@earendil-works/pi-coding-agent";
			export default function (pi) {
				pi.registerCommand("demo", { handler: async (_, ctx) => ctx.ui.notify("demo says " + greeting + typeof VERSION) });
			}`,
		"skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF files.\n---\nUse pdftotext.\n",
		"prompts/review.md": "Review the file $1 with care.\n",
	},
);

test("a package is installed by one command, and its extension's command works in the next session", async () => {
	await using home = await launch({ steps: [] });
	expect(await tau(home, "install", "npm:demo-ext")).toEqual({
		code: 0,
		out: "Installed demo-ext 1.0.0: 1 extension, 1 skill, 1 prompt.\n",
		err: "",
	});
	await using open = await openTau({ steps: [] }, { home });
	await open.until("played-1");
	open.type("/demo ");
	open.press("enter");
	await open.until("demo says good morningstring");
});

test("its prompt template and its skill are available", async () => {
	await using home = await launch({ steps: ["done"] });
	await tau(home, "install", "npm:demo-ext");
	expect(await tau(home, "-p", "/review a.ts")).toMatchObject({ code: 0, out: "done\n" });
	const [request] = home.played.requests;
	const sent = JSON.stringify(request?.body);
	expect(sent).toContain("Review the file a.ts with care.");
	expect(sent).toContain("Reads PDF files.");
});

registry.publish(
	{ name: "demo-agents", version: "1.0.0", pi: { agents: ["./agents"] } },
	{
		"agents/tester.md":
			"---\nname: tester\ndescription: Tests what was built.\ntools: read, grep\n---\nYou test things with patience.\n",
	},
);

test("an agent type of a package is offered to the model, and works as its file says", async () => {
	const tasks = [{ agent: "tester", name: "T", assignment: "test the gate" }];
	await using home = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "task", arguments: { tasks } } }] } },
			"Nothing is wrong.",
			"Done.",
		],
	});
	expect(await tau(home, "install", "npm:demo-agents")).toMatchObject({
		code: 0,
		out: "Installed demo-agents 1.0.0: 1 agent.\n",
	});
	expect(await tau(home, "-p", "go")).toMatchObject({ code: 0, out: "Done.\n" });
	const [parent, agent] = home.played.requests.map(({ body }) => body as { tools?: { name: string }[] });
	expect(JSON.stringify(parent)).toContain("tester: Tests what was built.");
	expect(JSON.stringify(agent)).toContain("You test things with patience.");
	expect(agent?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(["read", "grep"]));
	expect(agent?.tools?.map(({ name }) => name)).not.toContain("bash");
});

test("disabled and removed packages are not used", async () => {
	await using home = await launch({ steps: [] });
	await tau(home, "install", "npm:demo-ext");
	const skills = async (): Promise<boolean> => (await tau(home, "doctor")).out.includes("Reads PDF files.");
	expect(await skills()).toBe(true);
	expect((await tau(home, "plugin", "disable", "demo-ext")).out).toBe("Disabled demo-ext.\n");
	expect(await skills()).toBe(false);
	expect((await tau(home, "plugin", "enable", "demo-ext")).out).toBe("Enabled demo-ext.\n");
	writeFileSync(join(home.agentDir, "config.yml"), "discovery:\n  disabled: [packages]\n");
	const { out } = await tau(home, "doctor");
	expect(out).toContain("(disabled: packages)");
	expect(out).not.toContain("ext.ts");
	expect((await tau(home, "remove", "npm:demo-ext")).out).toBe("Removed npm:demo-ext.\n");
	expect((await tau(home, "list")).out).toBe("No packages installed. See tau plugin --help.\n");
	expect(readdirSync(join(home.agentDir, "plugins/store"))).toEqual([]);
});

test("a package of the project runs its code only if the project is trusted", async () => {
	await using home = await launch({ steps: ["one", "two"] });
	const said =
		'export default (pi) => pi.on("session_start", (_, ctx) => ctx.ui.notify("project code ran"));';
	registry.publish({ name: "local-ext", version: "1.0.0", pi: { extensions: ["x.ts"] } }, { "x.ts": said });
	const installed = await tau(home, "install", "-l", "npm:local-ext");
	expect(installed.err).toContain("This project is not trusted");
	expect(existsSync(join(home.project, ".tau/plugins/tau-plugins.lock.json"))).toBe(true);
	expect((await tau(home, "list", "--local")).out).toContain("does not run until the project is trusted");
	expect((await tau(home, "plugin", "list", "--trust")).out).toContain("1 extension");
	const wary = await tau(home, "-p", "hi");
	expect(wary.err).toContain("did not run, because the project is not trusted");
	expect(wary.err).not.toContain("project code ran");
	expect((await tau(home, "--trust", "-p", "hi")).err).toContain("project code ran");
	expect((await tau(home, "plugin", "uninstall", "local-ext")).err).toContain(
		"The project has this package: use --local.",
	);
	expect((await tau(home, "plugin", "uninstall", "--local", "local-ext")).code).toBe(0);
});

test("a Claude Code plugin provides its command under its name, and its hook runs", async () => {
	await using home = await launch({ steps: ["ok"] });
	const hook = {
		hooks: {
			UserPromptSubmit: [{ hooks: [{ type: "command", command: 'cat "$CLAUDE_PLUGIN_ROOT/said.txt"' }] }],
		},
	};
	const plugin = put(join(home.home, "plugin"), {
		".claude-plugin/plugin.json": '{"name":"helper","version":"1.2.0"}',
		"commands/greet.md": "Greet $1 warmly.\n",
		"hooks/hooks.json": JSON.stringify(hook),
		"said.txt": "the plugin was here",
	});
	put(join(home.home, ".claude"), {
		"plugins/installed_plugins.json": JSON.stringify({
			version: 2,
			plugins: { "helper@market": [{ scope: "user", installPath: plugin, version: "1.2.0" }] },
		}),
		"settings.json": '{"enabledPlugins":{"helper@market":true}}',
	});
	expect((await tau(home, "list")).out).toContain("helper  1.2.0    user");
	await tau(home, "-p", "/helper:greet Ada");
	const sent = JSON.stringify(home.played.requests[0]?.body);
	expect(sent).toContain("Greet Ada warmly.");
	expect(sent).toContain("the plugin was here");
});

test("a linked directory is used in place, and changes in it apply at once", async () => {
	await using home = await launch({ steps: [] });
	const linked = put(join(home.home, "mine"), {
		"package.json": '{"name":"mine","version":"0.1.0"}',
		"skills/one/SKILL.md": "---\nname: one\ndescription: First thing.\n---\n",
	});
	expect((await tau(home, "plugin", "link", linked)).out).toBe("Linked mine 0.1.0 from ~/mine: 1 skill.\n");
	put(linked, { "skills/two/SKILL.md": "---\nname: two\ndescription: Second thing.\n---\n" });
	const { out } = await tau(home, "doctor");
	expect(out).toContain("First thing.");
	expect(out).toContain("Second thing.");
	await tau(home, "remove", linked);
	expect(existsSync(join(linked, "package.json"))).toBe(true);
});

test("-e tries a package for one run, and uses its cached copy when the registry is gone", async () => {
	await using home = await launch({ steps: ["one", "two", "three"] });
	const says = (text: string): string =>
		`export default (pi) => pi.on("session_start", (_, ctx) => ctx.ui.notify("${text}"));`;
	const publish = (version: string): void =>
		registry.publish(
			{ name: "once", version, pi: { extensions: ["x.ts"] } },
			{ "x.ts": says(`this is ${version}`) },
		);
	publish("1.0.0");
	expect((await tau(home, "-e", "npm:once", "-p", "hi")).err).toContain("this is 1.0.0");
	publish("1.1.0");
	expect((await tau(home, "-e", "npm:once", "-p", "hi")).err).toContain("this is 1.1.0");
	const gone = await home.run(["-e", "npm:once", "-e", "npm:never-seen", "-p", "hi"], {
		env: { npm_config_registry: "http://127.0.0.1:9/" },
	});
	expect(gone.err).toContain("this is 1.1.0");
	expect(gone.err).toContain("npm:never-seen was not loaded: Cannot reach http://127.0.0.1:9/never-seen");
	expect(gone.out).toBe("three\n");
	expect((await tau(home, "list")).out).toContain("No packages installed.");
});

test("-e includes the skills and prompts of a package, and offline what was downloaded before", async () => {
	await using home = await launch({ steps: ["one", "two"] });
	const sent = (): string => JSON.stringify(home.played.requests.at(-1)?.body);
	expect(await tau(home, "-e", "npm:demo-ext", "-p", "/review a.ts")).toMatchObject({ code: 0, err: "" });
	expect(sent()).toContain("Review the file a.ts with care.");
	expect(sent()).toContain("Reads PDF files.");
	const asked = registry.requests.length;
	const args = ["--offline", "-e", "npm:demo-ext", "-e", "npm:never-seen", "-p", "/review b.ts"];
	const { err } = await tau(home, ...args);
	expect(err).toContain("npm:never-seen is not downloaded yet, and --offline prevents downloading it.");
	expect(sent()).toContain("Review the file b.ts with care.");
	expect(registry.requests.length).toBe(asked);
});

test("-e includes the themes of a package, and one of them can be selected", async () => {
	await using home = await launch({ steps: [] });
	const forest = readFileSync(join(root, "packages/tui/src/theme/themes/forest.json"), "utf8");
	registry.publish(
		{ name: "tidewater", version: "1.0.0", pi: { themes: ["./themes"] } },
		{ "themes/tidewater.json": forest },
	);
	const args = ["-e", "npm:tidewater", "--use-theme", "tidewater"];
	await using open = await openTau({ steps: [] }, { home, env, args });
	await open.until("played-1");
	open.type("/theme");
	open.press("enter");
	await open.until("tidewater (now)");
});

test("an extension of a package reads its current settings", async () => {
	await using home = await launch({ steps: ["one", "two", "three"] });
	const settings = { size: { type: "number", default: 3 } };
	const code =
		'export default (pi) => pi.on("session_start", (_, ctx) => ctx.ui.notify("size " + pi.getSetting("plugins.@me/sized.size")));';
	registry.publish(
		{ name: "@me/sized", version: "1.0.0", tau: { extensions: ["x.ts"], settings } },
		{ "x.ts": code },
	);
	await tau(home, "plugin", "install", "@me/sized");
	expect((await tau(home, "-p", "hi")).err).toContain("size 3");
	await tau(home, "plugin", "config", "set", "@me/sized", "size", "4");
	expect((await tau(home, "-p", "hi")).err).toContain("size 4");
	put(home.project, { ".tau/plugin-overrides.json": '{"settings":{"@me/sized":{"size":5}}}' });
	expect((await tau(home, "--trust", "-p", "hi")).err).toContain("size 5");
});

test("--trust applies a project's overrides to skills too, and reports a broken file", async () => {
	await using home = await launch({ steps: ["one", "two", "three"] });
	await tau(home, "install", "npm:demo-ext");
	put(home.project, { ".tau/plugin-overrides.json": '{"disabled":["demo-ext"]}' });
	await tau(home, "--trust", "-p", "hi");
	expect(home.played.requests.at(-1)?.rawBody).not.toContain("Reads PDF files.");
	put(home.project, { ".tau/plugin-overrides.json": "{broken" });
	const broken = await tau(home, "--trust", "-p", "hi");
	expect(broken.err).toContain("plugin-overrides.json: cannot read it");
	expect(home.played.requests.at(-1)?.rawBody).toContain("Reads PDF files.");
	expect((await tau(home, "-p", "hi")).err).not.toContain("plugin-overrides");
});

test("a package that settings name is installed only after a yes, and is available in the session that starts", async () => {
	await using home = await launch({ steps: [] });
	writeFileSync(join(home.agentDir, "config.yml"), "packages: [npm:demo-ext]\n");
	const printed = await tau(home, "-p", "/nothing");
	expect(printed.err).toContain("npm:demo-ext is not installed. Run tau install npm:demo-ext");
	const asked = registry.requests.length;
	await using open = await openTau({ steps: [] }, { home, env });
	await open.until("Your settings list 1 package that is not installed. Install?");
	expect(registry.requests.length).toBe(asked);
	open.press("down", "enter");
	await open.until("Installed demo-ext 1.0.0.");
	open.type("/demo ");
	open.press("enter");
	await open.until("demo says good morning");
});

test("after a no to such a package there is no further question, and none at all offline", async () => {
	await using home = await launch({ steps: [] });
	const settings = "packages: [npm:demo-ext]\n";
	const asked = registry.requests.length;
	{
		await using open = await openTau({ steps: [] }, { home, env, settings, args: ["--offline"] });
		await open.until("npm:demo-ext is not installed. Run tau install npm:demo-ext");
		expect(open.screen()).not.toContain("Install?");
	}
	{
		await using open = await openTau({ steps: [] }, { home, env });
		await open.until("Install?");
		open.press("down", "down", "enter");
		await open.until("npm:demo-ext is not installed. Run tau install npm:demo-ext");
	}
	await using open = await openTau({ steps: [] }, { home, env });
	await open.until("npm:demo-ext is not installed. Run tau install npm:demo-ext");
	expect(open.screen()).not.toContain("Install?");
	expect(registry.requests.length).toBe(asked);
});
